import CVorbis
import RespoolPlugin
import Xiph

/// A decoder for Vorbis with libvorbis.
final class VorbisDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .decoder, name: "vorbis", longName: "Vorbis by libvorbis")
    // Its samples differ in the last bits from those of FFmpeg's own decoder, with which users compare.
    about.tier = .fallback
    about.aliases = ["libvorbis"]
    about.codecs = ["vorbis"]
    about.channelCounts = 1...64
    return about
  }()

  private let state: DecoderState
  private let timeBase: Rational
  private let channelLayout: ChannelLayout
  /// Index in the stream of each channel of a frame.
  private let streamChannels: [Int]
  private let sampleRate: Int
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    let track = settings.track
    guard track.codec == "vorbis" else {
      throw MediaError(.unsupported, "libvorbis decodes vorbis, not \(track.codec)")
    }
    let state = DecoderState()
    try state.open(XiphLacing.headers(track.extradata))
    self.state = state
    let channels = Int(state.info.pointee.channels)
    sampleRate = state.info.pointee.rate
    guard (1...64).contains(channels), (1...Int(Int32.max)).contains(sampleRate) else {
      throw MediaError(
        .malformed, "\(channels.counting("channel")) at \(sampleRate) Hz; 1 to 64 can be decoded")
    }
    timeBase = track.timeBase.isPositive ? track.timeBase : Rational(1, Int32(sampleRate))
    channelLayout = .vorbis(channels)
    let order = ChannelOrder.frameChannels(channels) ?? Array(0..<channels)
    var inverse = [Int](repeating: 0, count: channels)
    for (stream, frame) in order.enumerated() { inverse[frame] = stream }
    streamChannels = inverse
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    guard let buffer = packet.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    guard buffer.count > 0 else { return .accepted }
    let status = buffer.withBytes { state.decode($0) }
    guard status == 0 else {
      throw MediaError(
        .malformed, "a packet of \(buffer.count.counting("byte")) could not be decoded",
        cause: status == OV_ENOTAUDIO ? "it is not audio" : "status \(status)")
    }
    waiting = makeFrame(packet)
    return .accepted
  }

  /// Returns the audio of the last packet; `nil` if there is none, as after the first one (Vorbis I 4.3.8).
  private func makeFrame(_ packet: Packet) -> Frame? {
    var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    let count = Int(vorbis_synthesis_pcmout(state.synthesis, &planes))
    guard count > 0, let planes else { return nil }
    defer { vorbis_synthesis_read(state.synthesis, Int32(count)) }
    guard
      var frame = Frame(
        sampleFormat: .fltp, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: count, pts: packet.pts)
    else { return nil }
    for (channel, stream) in streamChannels.enumerated() {
      guard let source = planes[stream] else { continue }
      frame.planes[channel].base.copyMemory(from: source, byteCount: count * 4)
    }
    frame.duration = Rational(1, Int32(sampleRate)).convert(Int64(count), to: timeBase)
    if packet.flags.contains(.corrupt) { frame.flags.insert(.corrupt) }
    return frame
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if let frame = waiting.take() { return .value(frame) }
    return isDraining ? .end : .needsInput
  }

  func flush() {
    waiting = nil
    isDraining = false
    vorbis_synthesis_restart(state.synthesis)
  }
}
