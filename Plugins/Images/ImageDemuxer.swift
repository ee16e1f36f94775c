import RespoolPlugin

/// A demuxer for files with one image, which becomes a track with one packet.
final class ImageDemuxer<Format: ImageReading>: Demuxer {
  static var description: FactoryDescription { Format.reader }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    Format.probe(bytes, name: name)
  }

  let media: MediaDescription
  private var packet: Packet?
  private let first: Packet

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    let image = try Format.read(source)
    var track = image.track
    track.id = 1
    track.disposition = .stillImage
    track.packetCount = 1
    let data = image.exif.flatMap { ExifData($0) }
    var media = MediaDescription(
      format: Format.reader.name, tracks: [track],
      metadata: image.metadata + (data?.texts(besides: image.metadata) ?? []),
      warning: image.warning)
    media.endsEarly = image.endsEarly
    if let exif = image.exif { media.sideData.append(SideData(.exif, exif)) }
    if let xmp = image.xmp {
      media.sideData.append(SideData(.xmp, SideData.xmpIdentifier + xmp))
    }
    if let extended = image.extendedXMP {
      media.sideData.append(SideData(.extendedXMP, extended))
    }
    if !image.others.isEmpty {
      media.sideData.append(SideData(unwrittenElements: image.others))
    }
    self.media = media
    first = Packet(track: 0, pts: 0, dts: 0, duration: 1, flags: .key, payload: image.payload)
    packet = first
  }

  func read() throws(MediaError) -> Packet? {
    defer { packet = nil }
    return packet
  }

  func seek(track: Int, to time: Int64) throws(MediaError) { packet = first }
}

extension TrackDescription {
  /// Creates the track of an image, which is shown for 1/25 s where it has to have a duration.
  init(image codec: String, width: Int, height: Int) {
    self.init(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (self.width, self.height) = (width, height)
  }

  /// Adds an ICC profile.
  mutating func add(profile: [UInt8]) {
    guard !profile.isEmpty, sideData[.colorProfile] == nil else { return }
    sideData.append(SideData(.colorProfile, Array("prof".utf8) + profile))
  }
}
