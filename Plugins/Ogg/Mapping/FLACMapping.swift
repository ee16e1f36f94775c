import RespoolPlugin

/// FLAC in Ogg (RFC 9639 10.1).
struct FLACMapping: OggMapping {
  /// Type of a packet, signature, version 1.0, and the number of further header packets.
  private static let head: [UInt8] = [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1]
  private static let commentBlock: UInt8 = 4

  private let info: FLACStreamInfo
  private let layout: ChannelLayout

  init(_ track: TrackDescription) throws(MediaError) {
    info = try FLACStreamInfo(track.extradata)
    layout = track.channelLayout
    guard info.sampleRate > 0 else {
      throw MediaError(.malformed, "STREAMINFO states a sample rate of 0")
    }
  }

  var timeBase: Rational { Rational(1, Int32(clamping: info.sampleRate)) }

  func headers(_ comments: VorbisComments) throws(MediaError) -> [[UInt8]] {
    var comments = comments
    comments.fields += FLACStreamInfo.layoutFields(layout)
    let bytes = comments.bytes
    guard bytes.count <= 0xFF_FFFF else {
      throw MediaError(
        .limitExceeded, "tags and covers have \(bytes.count) bytes; FLAC in Ogg takes 16 MiB")
    }
    let header = UInt32(bytes.count).bigEndianBytes.dropFirst()
    return [Self.first(info), [0x80 | Self.commentBlock] + header + bytes]
  }

  private static func first(_ info: FLACStreamInfo) -> [UInt8] {
    head + Array("fLaC".utf8) + [0, 0, 0, UInt8(FLACStreamInfo.byteCount)] + info.bytes
  }

  func duration(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> Int64 {
    guard let header = FLACFrameHeader(bytes.prefix(FLACFrameHeader.largestSize)) else {
      throw MediaError(.malformed, "a packet of \(bytes.count) bytes is not a frame of FLAC")
    }
    return Int64(header.blockSize)
  }

  func completedHeader(_ track: TrackDescription, sampleCount: Int64) -> [UInt8]? {
    guard var info = try? FLACStreamInfo(track.extradata) else { return nil }
    if info.sampleCount != UInt64(clamping: sampleCount) {
      info.md5 = [UInt8](repeating: 0, count: 16)
      info.sampleCount = UInt64(clamping: sampleCount)
    }
    return Self.first(info)
  }
}
