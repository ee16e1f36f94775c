public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", muxers: [AUMuxer.self])
    .table(for: host)
}

/// A muxer for AU files (NeXT and Sun).
///
/// A file is a header of 24 bytes, then audio samples: ".snd", offset of the audio, its size in bytes (2^32 - 1:
/// unknown), encoding, sample rate, channels; each has 4 bytes, the highest first. Replace the header and `write` by your
/// container.
final class AUMuxer: Muxer {
  // The default of `check` rejects tracks of other codecs.
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "template", longName: "NeXT and Sun audio (Template)")
    description.extensions = ["au", "snd"]
    description.codecs = encodings.keys.sorted()
    return description
  }

  private static let encodings: [String: UInt32] = [
    "pcm_mulaw": 1, "pcm_s8": 2, "pcm_s16be": 3, "pcm_s24be": 4, "pcm_s32be": 5, "pcm_f32be": 6,
    "pcm_f64be": 7, "pcm_alaw": 27,
  ]
  private static let headerSize: UInt32 = 24

  private let sink: ByteSink
  private let timeBase: Rational

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    guard media.tracks.count == 1, let track = media.tracks.first else {
      throw MediaError(.unsupported, "\(media.tracks.count) tracks; an AU file has 1")
    }
    try Self.check(track)
    let channels = track.channelLayout.channelCount
    guard let encoding = Self.encodings[track.codec], channels > 0,
      (1...Int(Int32.max)).contains(track.sampleRate)
    else {
      throw MediaError(
        .unsupported, "\(channels) channels at \(track.sampleRate) Hz are not possible")
    }
    self.sink = sink
    timeBase = Rational(1, Int32(track.sampleRate))
    let numbers = [Self.headerSize, .max, encoding, UInt32(track.sampleRate), UInt32(channels)]
    try sink.write(Array(".snd".utf8) + numbers.flatMap(Self.bytes))
  }

  // The host converts times to this time base.
  func timeBase(ofTrack track: Int) -> Rational { timeBase }

  // The payload is bytes or a range of the source; the host writes both.
  func write(_ packet: Packet) throws(MediaError) { try sink.write(payloadOf: packet) }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let size = sink.size - Int64(Self.headerSize)
    guard sink.isSeekable, size < UInt32.max else { return }  // The size stays unknown.
    try sink.overwrite(at: 8, with: Self.bytes(UInt32(size)))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
