import RespoolPlugin

/// An encoder of PCM in packets of 256 audio samples after a head of three fields.
final class FaultyEncoder: Encoder {
  static let frameSize = 256

  static var description: FactoryDescription {
    var about = FactoryDescription(
      kind: .encoder, name: "faulty_swift", longName: "PCM with a head")
    about.codecs = ["faulty_swift"]
    about.sampleFormats = [.s16]
    about.channelCounts = 1...8
    return about
  }

  private(set) var track: TrackDescription
  private var waiting: [Packet] = []
  private var isDraining = false
  private var position: Int64 = 0
  private var onEnd: (() -> Void)?
  private var reused: MediaBuffer?
  /// For the bug `pointerKept`.
  private var kept: (pointer: UnsafeRawPointer, count: Int)?

  nonisolated(unsafe) private static var sharedPosition: Int64 = 0

  init(settings: EncoderSettings) throws(MediaError) {
    track = settings.track
    let channels = track.channelLayout.channelCount
    guard (1...8).contains(channels), (1...768_000).contains(track.sampleRate) else {
      throw MediaError(
        .invalidArgument,
        Fault.current == .emptyMessage
          ? ""
          : "\(channels) channels at \(track.sampleRate) Hz; 1 to 8 at 1 to 768000 Hz are encoded")
    }
    guard track.sampleFormat == .s16 else {
      throw MediaError(.unsupported, "audio samples are \(track.sampleFormat); s16 is encoded")
    }
    track.timeBase = Rational(1, Int32(track.sampleRate))
    track.frameSize = Self.frameSize
    track.extradata = []
    if Fault.current == .prints { print("an encoder is opened") }
    if Fault.current == .retainCycle { onEnd = { self.isDraining = true } }
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting.isEmpty else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard frame.sampleFormat == .s16,
      frame.channelLayout.channelCount == track.channelLayout.channelCount
    else {
      throw MediaError(
        .invalidArgument, "a frame has another format than the encoder was opened for")
    }
    let channels = track.channelLayout.channelCount
    if Fault.current == .lastFrameDropped, frame.sampleCount < Self.frameSize { return .accepted }
    var source = UnsafeRawPointer(frame.planes[0].base)
    if Fault.current == .pointerKept {
      // The samples of the frame before are written, which was not kept alive.
      if let kept { source = kept.pointer }
      kept = (UnsafeRawPointer(frame.planes[0].base), frame.sampleCount)
    }
    var samples = [Int16](repeating: 0, count: Self.frameSize * channels)
    if Fault.current == .trapOnShortFrame, frame.sampleCount < Self.frameSize / 3 {
      samples = []
    }
    for index in 0..<min(frame.sampleCount, Self.frameSize) {
      for channel in 0..<channels {
        let from = Fault.current == .channelsReversed ? channels - 1 - channel : channel
        samples[index * channels + channel] = source.load(
          fromByteOffset: (index * channels + from) * 2, as: Int16.self)
      }
    }
    waiting.append(packet(samples, frame.sampleCount))
    return .accepted
  }

  private func packet(_ samples: [Int16], _ count: Int) -> Packet {
    let fields = [
      "count": count, "channels": track.channelLayout.channelCount, "rate": track.sampleRate,
    ]
    var bytes: [UInt8] = []
    let names =
      Fault.current == .dictionaryOrder ? Array(fields.keys) : fields.keys.sorted()
    for name in names {
      bytes += Array(name.utf8.prefix(2))
      let value = fields[name] ?? 0
      bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    samples.withUnsafeBytes { bytes += $0 }
    var buffer = MediaBuffer(bytes)
    if Fault.current == .bufferReused {
      let shared = reused ?? buffer
      reused = shared
      shared.bytes.copyBytes(from: bytes)
      buffer = shared
    }
    let isShared = Fault.current == .staticState
    let time = isShared ? Self.sharedPosition : position
    var packet = Packet(
      track: 0, pts: time, dts: time, duration: Int64(Self.frameSize), flags: .key,
      payload: .bytes(buffer))
    packet.trimEnd = Int64(Self.frameSize - count)
    position += Int64(Self.frameSize)
    if isShared { Self.sharedPosition += Int64(Self.frameSize) }
    return packet
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = waiting.popLast() else { return isDraining ? .end : .needsInput }
    return .value(packet)
  }
}
