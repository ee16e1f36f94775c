import CVerifier
import RespoolHost
import RespoolMedia

/// The output of an encoder for an input.
struct Encoding: Sendable {
  var input: EncoderInput
  /// Description of the encoded track after the end.
  var track: TrackDescription
  var packets: [Packet]
  /// Hash of each packet at the time when it was received.
  var hashes: [UInt64]
  /// Audio: number of audio samples that were sent.
  var sampleCount: Int64

  /// Opens an encoder, sends all frames of the input, drains it and closes it.
  init(_ factory: PluginFactory, _ input: EncoderInput) throws(Finding) {
    var hashes: [UInt64] = []
    var run: EncoderRun? = try EncoderRun(factory, input)
    run?.onPacket = { hashes.append(Self.hash($0)) }
    for number in 0..<input.count { try run?.send(number) }
    let track = try run?.drain()
    self.input = input
    packets = run?.packets ?? []
    sampleCount = run?.position ?? 0
    self.track = track ?? input.track
    PluginCall.run("close") { run = nil }
    self.hashes = hashes
  }

  /// Throws if a packet has changed since it was returned.
  ///
  /// The encoder is closed, and memory that it freed was overwritten.
  func checkUnchanged() throws(Finding) {
    guard packets.map(Self.hash) == hashes else {
      throw Finding(
        "the bytes of packets changed after they were returned: they belong to the host until it releases them, also after close"
      )
    }
  }

  /// Times of the sent video frames, in the time base of the encoded track.
  var times: [Int64] {
    (0..<input.count).map { input.track.timeBase.convert(input.time($0), to: track.timeBase) }
  }

  static func hash(_ packet: Packet) -> UInt64 {
    guard let buffer = packet.buffer else { return 0 }
    return buffer.withBytes { hash($0, from: UInt64(packet.flags.rawValue) + 1) }
  }

  static func hash(_ bytes: UnsafeRawBufferPointer, from start: UInt64 = 0) -> UInt64 {
    guard let base = bytes.baseAddress else { return start }
    return measure_hash(start, base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}

/// An encoder that is being fed.
final class EncoderRun {
  let input: EncoderInput
  /// Audio samples sent so far.
  private(set) var position: Int64 = 0
  var onPacket: ((Packet) -> Void)? {
    get { relay.onPacket }
    set { relay.onPacket = newValue }
  }

  private var driver: CodecDriver<EncoderInstance>
  private let frameSize: Int
  private let relay = Relay()

  private final class Relay { var onPacket: ((Packet) -> Void)? }

  init(_ factory: PluginFactory, _ input: EncoderInput) throws(Finding) {
    let encoder = try open("the encoder") { () throws(MediaError) in
      try EncoderInstance(factory, input.settings, reason: "")
    }
    self.input = input
    let track = PluginCall.run("track") { encoder.track }
    frameSize = track.frameSize
    let relay = relay
    driver = CodecDriver(encoder, limit: input.count * 4 + 200) { (packet) throws(Finding) in
      guard packet.size > 0 else { throw Finding("receive returned a packet without bytes") }
      relay.onPacket?(packet)
    }
  }

  var packets: [Packet] { driver.products }

  func send(_ number: Int) throws(Finding) {
    guard let lent = input.frame(number, position: position, frameSize: frameSize) else {
      throw Finding("no frame of this format can be created")
    }
    defer { withExtendedLifetime(lent.frame) { lent.memory.end() } }
    try driver.send(lent.frame, "frame \(number)")
    position += Int64(lent.frame.sampleCount)
  }

  /// Ends the input and returns the final description of the track.
  func drain() throws(Finding) -> TrackDescription {
    try driver.drain()
    let encoder = driver.codec
    return PluginCall.run("track") { encoder.track }
  }
}

/// Opens something of the plugin; `what` names it in the finding.
func open<Instance>(
  _ what: String, _ body: () throws(MediaError) -> Instance
) throws(Finding) -> Instance {
  do throws(MediaError) { return try PluginCall.run("open", body) } catch {
    _ = try message(of: error)
    throw Finding("\(what) cannot be opened: \(error)")
  }
}
