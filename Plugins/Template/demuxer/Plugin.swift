public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", demuxers: [AUDemuxer.self])
    .table(for: host)
}

/// A demuxer for AU files (NeXT and Sun).
///
/// A file is a header of 24 bytes or more, then audio samples: ".snd", offset of the audio, its size in bytes
/// (2^32 - 1: unknown), encoding, sample rate, channels; each has 4 bytes, the highest first. Replace the header and
/// `read` by your container. All numbers come from files: check each before it is used.
final class AUDemuxer: Demuxer {
  // The default of `probe` compares the magics and the extensions.
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .demuxer, name: "template", longName: "NeXT and Sun audio (Template)")
    description.extensions = ["au", "snd"]
    description.magics = [FactoryDescription.Magic(Array(".snd".utf8))]
    return description
  }

  private static let encodings: [UInt32: (codec: String, bits: Int)] = [
    1: ("pcm_mulaw", 8), 2: ("pcm_s8", 8), 3: ("pcm_s16be", 16), 4: ("pcm_s24be", 24),
    5: ("pcm_s32be", 32), 6: ("pcm_f32be", 32), 7: ("pcm_f64be", 64), 27: ("pcm_alaw", 8),
  ]

  let media: MediaDescription
  // The audio, which lies in one part. Other containers append a part for each of their blocks.
  private var packets: PCMPackets

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    var header = ByteReader(try source.readExactly(at: 0, count: 24))
    guard try header.text(4) == ".snd" else {
      throw MediaError(.malformed, "the file does not start with .snd", offset: 0)
    }
    let (offset, size) = (try header.big(UInt32.self), try header.big(UInt32.self))
    let (encoding, rate) = (try header.big(UInt32.self), try header.big(UInt32.self))
    let channels = try header.big(UInt32.self)
    guard let (codec, bits) = Self.encodings[encoding] else {
      throw MediaError(
        .unsupported, "the encoding is \(encoding); 1 to 7 and 27 are read", offset: 12)
    }
    guard offset >= 24, (1...768_000).contains(rate), (1...64).contains(channels) else {
      throw MediaError(
        .malformed, "audio of \(channels) channels at \(rate) Hz is not possible", offset: 4)
    }
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, Int32(rate)))
    track.sampleRate = Int(rate)
    track.channelLayout = ChannelLayout(channelCount: Int(channels))
    track.bitsPerSample = bits
    track.blockAlign = Int(channels) * bits / 8
    track.start = 0
    packets = PCMPackets(source: source, blockAlign: track.blockAlign)
    let isWhole = try packets.append(
      offset: Int64(offset), length: size == .max ? nil : Int64(size))
    track.duration = packets.duration
    var media = MediaDescription(
      format: "au", tracks: [track],
      duration: track.duration.map { track.timeBase.convert($0, to: Rational(1, 1_000_000_000)) })
    if !isWhole {
      media.endsEarly = true
      media.warning = "the file ends before the audio that its header declares"
    }
    self.media = media
  }

  func read() throws(MediaError) -> Packet? { try packets.read() }

  func seek(track: Int, to time: Int64) throws(MediaError) { packets.seek(to: time) }
}
