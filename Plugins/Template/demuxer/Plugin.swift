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

  private let source: ByteSource
  let media: MediaDescription
  private let block: Int64
  private let start: Int64
  /// `nil` if neither the header nor the source states an end.
  private let end: Int64?
  private var position: Int64

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    let header = try source.readExactly(at: 0, count: 24)
    guard header.starts(with: ".snd".utf8) else {
      throw MediaError(.malformed, "the file does not start with .snd", offset: 0)
    }
    let numbers = (1...5).map { at in header[at * 4..<at * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let (offset, size, rate, channels) = (numbers[0], numbers[1], numbers[3], numbers[4])
    guard let (codec, bits) = Self.encodings[numbers[2]] else {
      throw MediaError(
        .unsupported, "the encoding is \(numbers[2]); 1 to 7 and 27 are read", offset: 12)
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
    let declared = size == .max ? nil : Int64(offset) + Int64(size)
    let limits = [declared, source.size].compactMap { $0 }
    end = limits.min()
    block = Int64(track.blockAlign)
    start = Int64(offset)
    position = start
    if let end { track.duration = max(0, end - start) / block }
    var media = MediaDescription(
      format: "au", tracks: [track],
      duration: track.duration.map { track.timeBase.convert($0, to: Rational(1, 1_000_000_000)) })
    if let declared, let size = source.size, declared > size {
      media.endsEarly = true
      media.warning = "the file ends before the audio that its header declares"
    }
    self.source = source
    self.media = media
  }

  // The payload is bytes. If the size of the source is known, it can be `.range(offset:length:)`, which the host copies
  // without the plugin.
  func read() throws(MediaError) -> Packet? {
    let size = min(1024 * block, end.map { $0 - position } ?? .max)
    guard size >= block else { return nil }
    var bytes = try source.read(at: position, count: Int(size))
    bytes.removeLast(bytes.count % Int(block))
    guard !bytes.isEmpty else { return nil }
    let time = (position - start) / block
    position += Int64(bytes.count)
    return Packet(
      track: 0, pts: time, dts: time, duration: Int64(bytes.count) / block, flags: .key,
      payload: .bytes(MediaBuffer(bytes)))
  }

  func seek(track: Int, to time: Int64) throws(MediaError) {
    let last = end.map { max(0, $0 - start) / block } ?? Int64(Int32.max)
    position = start + min(max(0, time), last) * block
  }
}
