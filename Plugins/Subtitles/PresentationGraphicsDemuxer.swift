import RespoolPlugin

/// A demuxer for subtitles of Blu-ray discs in a file of their own.
///
/// A packet is a display set: all segments up to the one that ends it, as in Matroska. The form of the file is that of
/// ``PresentationGraphicsFile``.
final class PresentationGraphicsDemuxer: Demuxer {
  static var description: FactoryDescription {
    var value = FactoryDescription(
      kind: .demuxer, name: "sup", longName: PresentationGraphicsFile.longName)
    value.extensions = PresentationGraphicsFile.extensions
    value.codecs = PresentationGraphicsFile.codecs
    value.magics = [FactoryDescription.Magic(Array("PG".utf8))]
    return value
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    var reader = ByteReader(Array(bytes.prefix(1 << 16)))
    guard let first = try? SegmentHeader(&reader), first.type == SegmentHeader.composition,
      (try? reader.skip(first.size)) != nil, (try? SegmentHeader(&reader)) != nil
    else { return 0 }
    return 100
  }

  let media: MediaDescription
  private let source: ByteSource
  private var position: Int64 = 0
  private var isEnded = false

  /// Maximum size of a display set in bytes; its images have at most 4096 by 4096 pixels of a palette.
  private static let largest = 32 << 20

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    self.source = source
    var track = TrackDescription(
      kind: .subtitle, codec: "hdmv_pgs_subtitle", timeBase: PresentationGraphicsFile.timeBase)
    track.id = 1
    let start = try source.readExactly(at: 0, count: SegmentHeader.length + 4)
    var reader = ByteReader(start)
    let first = try SegmentHeader(&reader)
    if first.type == SegmentHeader.composition, first.size >= 4 {
      track.width = Int(try reader.big(UInt16.self))
      track.height = Int(try reader.big(UInt16.self))
    }
    media = MediaDescription(format: "sup", tracks: [track])
  }

  func read() throws(MediaError) -> Packet? {
    guard !isEnded else { return nil }
    var (bytes, time): ([UInt8], Int64?) = ([], nil)
    let start = position
    while true {
      let head = try source.read(at: position, count: SegmentHeader.length)
      // A last display set without an end is kept.
      if head.isEmpty { break }
      var reader = ByteReader(head)
      guard let header = try? SegmentHeader(&reader) else { throw damage(in: head) }
      let payload = try source.read(
        at: position + Int64(SegmentHeader.length), count: header.size)
      guard payload.count == header.size else { throw damage(in: head) }
      position += Int64(SegmentHeader.length + header.size)
      time = time ?? header.time
      bytes += head[SegmentHeader.stampLength...] + payload
      if header.type == SegmentHeader.end { break }
      guard bytes.count <= Self.largest else {
        isEnded = true
        throw MediaError(
          .limitExceeded, "a display set has more than \(Self.largest.counting("byte"))",
          track: 0, offset: start)
      }
    }
    guard let time, !bytes.isEmpty else {
      isEnded = true
      return nil
    }
    return Packet(
      track: 0, pts: time, dts: time, duration: 0, flags: .key,
      payload: .bytes(MediaBuffer(bytes)))
  }

  func seek(track: Int, to time: Int64) throws(MediaError) {
    (position, isEnded) = (0, false)
    var before: Int64 = 0
    while true {
      let start = position
      guard let packet = try read(), (packet.pts ?? 0) <= time else { break }
      before = start
    }
    (position, isEnded) = (before, false)
  }

  /// Returns the error for damage at the position, and goes on at the next segment.
  private func damage(in head: [UInt8]) -> MediaError {
    let place = position
    position += 1
    while let found = try? source.read(at: position, count: 4096), found.count > 2 {
      if let index = found.indices.dropLast(2).first(where: {
        found[$0] == UInt8(ascii: "P") && found[$0 + 1] == UInt8(ascii: "G")
      }) {
        position += Int64(index)
        return MediaError(
          .malformed, "there is no segment of subtitles", track: 0, offset: place)
      }
      position += Int64(found.count - 2)
    }
    isEnded = true
    return MediaError(
      .malformed,
      head.starts(with: "PG".utf8)
        ? "the data ends early" : "there is no segment of subtitles", track: 0, offset: place)
  }
}

/// The header of a segment in a file.
private struct SegmentHeader {
  let time: Int64
  let type: UInt8
  /// Number of bytes that follow.
  let size: Int

  /// Number of bytes of the header, and of the part before the segment itself.
  static let (length, stampLength) = (13, 10)
  /// Types of the first and of the last segment of a display set.
  static let (composition, end) = (UInt8(0x16), UInt8(0x80))
  private static let types: Set<UInt8> = [0x14, 0x15, 0x16, 0x17, 0x80]

  /// Reads a header; throws `malformed` if there is none.
  init(_ reader: inout ByteReader) throws(MediaError) {
    let magic = try reader.big(UInt16.self)
    time = Int64(try reader.big(UInt32.self))
    try reader.skip(4)
    type = try reader.big(UInt8.self)
    size = Int(try reader.big(UInt16.self))
    guard magic == 0x5047, Self.types.contains(type) else {
      throw MediaError(.malformed, "there is no segment of subtitles")
    }
  }
}
