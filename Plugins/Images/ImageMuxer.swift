import RespoolPlugin

/// A muxer for files with one image.
final class ImageMuxer<Format: ImageWriting>: Muxer {
  static var description: FactoryDescription {
    var description = Format.writer
    description.flags.formUnion([.needsBytes, .writesStills])
    return description
  }

  private let image: WrittenImage
  private let sink: ByteSink
  private var isWritten = false

  static func check(_ track: TrackDescription) throws(MediaError) {
    let name = description.name
    guard track.kind == .video, description.codecs.contains(track.codec) else {
      throw MediaError(
        .unsupported,
        "\(name) does not carry \(track.codec.isEmpty ? "\(track.kind)" : track.codec); it carries "
          + description.codecs.joined(separator: ", "))
    }
    guard track.disposition.contains(.stillImage) else {
      throw MediaError(.unsupported, "\(name) carries one image, not video")
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    guard media.tracks.count == 1, let track = media.tracks.first else {
      throw MediaError(
        .unsupported,
        "\(media.tracks.count.counting("track")); \(Self.description.name) takes exactly one")
    }
    try Self.check(track)
    self.sink = sink
    image = WrittenImage(
      media, track,
      storesOrientation: Self.description.flags.contains(.keepsRotation)
        && !Format.turnsByProperty)
  }

  func timeBase(ofTrack track: Int) -> Rational { image.track.timeBase }

  func write(_ packet: Packet) throws(MediaError) {
    guard !isWritten else {
      throw MediaError(
        .unsupported, "a second image; \(Self.description.name) takes exactly one", track: 0)
    }
    guard case .bytes(let buffer) = packet.payload else {
      throw MediaError(.invalidArgument, "the image is not in memory", track: 0)
    }
    isWritten = true
    try sink.write(Format.file(image, buffer.withBytes { Array($0) }))
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    guard isWritten else { throw MediaError(.invalidArgument, "there is no image to write") }
  }
}
