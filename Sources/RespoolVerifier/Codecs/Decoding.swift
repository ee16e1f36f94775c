import RespoolHost
import RespoolMedia

/// The output of a decoder for packets.
struct Decoding: Sendable {
  var frames: [Frame]
  /// Hash of each frame at the time when it was received.
  var hashes: [UInt64]

  /// Opens a decoder, sends the packets, drains it and closes it.
  ///
  /// The packets are copied into guarded memory.
  init(
    _ factory: PluginFactory, _ track: TrackDescription, _ packets: [Packet], threads: Int = 1
  ) throws(Finding) {
    var run: DecoderRun? = try DecoderRun(
      factory, track, limit: packets.count * 4 + 200, threads: threads)
    var hashes: [UInt64] = []
    run?.onFrame = { hashes.append($0.contentHash) }
    for (number, packet) in packets.enumerated() { try run?.send(packet, number) }
    try run?.drain()
    frames = run?.frames ?? []
    PluginCall.run("close") { run = nil }
    self.hashes = hashes
  }
}

extension Decoding {
  /// Throws if a frame has changed since it was returned.
  ///
  /// The decoder is closed, and memory that it freed was overwritten.
  func checkUnchanged() throws(Finding) {
    guard frames.map(\.contentHash) == hashes else {
      throw Finding(
        "frames changed after they were returned: they belong to the host until it releases them, also after close"
      )
    }
  }
}

/// A decoder that is being fed.
final class DecoderRun {
  var onFrame: ((Frame) -> Void)? {
    get { relay.onFrame }
    set { relay.onFrame = newValue }
  }

  private var driver: CodecDriver<DecoderInstance>
  private let relay = Relay()

  private final class Relay { var onFrame: ((Frame) -> Void)? }

  init(
    _ factory: PluginFactory, _ track: TrackDescription, limit: Int, threads: Int = 1,
    allowsErrors: Bool = false
  ) throws(Finding) {
    let decoder = try open("the decoder \(factory.description.name)") { () throws(MediaError) in
      try DecoderInstance(
        factory, DecoderSettings(track: track, threads: threads), reason: "")
    }
    let relay = relay
    driver = CodecDriver(decoder, limit: limit, allowsErrors: allowsErrors) {
      (frame) throws(Finding) in relay.onFrame?(frame)
    }
  }

  var frames: [Frame] { driver.products }

  func send(_ packet: Packet, _ number: Int) throws(Finding) {
    guard let buffer = packet.buffer else { throw Finding("a packet is a range of a file") }
    let memory = buffer.withBytes { bytes in
      GuardedMemory([bytes.count], "a lent packet") { regions in
        UnsafeMutableRawPointer(regions[0]).copyMemory(from: bytes)
      }
    }
    guard let memory else { throw Finding("there is no memory for a packet") }
    var lent = packet
    lent.payload = .bytes(memory.buffer)
    defer { withExtendedLifetime(lent) { memory.end() } }
    try driver.send(lent, "packet \(number)")
  }

  func drain() throws(Finding) { try driver.drain() }

  func flush() {
    let decoder = driver.codec
    PluginCall.run("flush") { decoder.flush() }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
    if let base = bytes.baseAddress { copyMemory(from: base, byteCount: bytes.count) }
  }
}

extension Frame {
  /// Hash of what is shown or heard, without padding.
  var contentHash: UInt64 {
    var hash: UInt64 = 1
    func add(_ base: UnsafeRawPointer, _ count: Int) {
      hash = Encoding.hash(UnsafeRawBufferPointer(start: base, count: count), from: hash)
    }
    if kind == .video {
      guard let layout = pixelFormat.layout else { return 0 }
      for plane in 0..<layout.planeCount {
        let bytes = layout.rowBytes(ofPlane: plane, for: width)
        for row in 0..<layout.height(ofPlane: plane, for: height) {
          add(planes[plane].base + row * planes[plane].stride, bytes)
        }
      }
    } else {
      let count = sampleCount * sampleFormat.bytesPerSample
      let channels = channelLayout.channelCount
      if sampleFormat.isPlanar {
        for plane in planes.prefix(channels) { add(plane.base, count) }
      } else {
        add(planes[0].base, count * channels)
      }
    }
    return withExtendedLifetime(buffer) { hash }
  }
}
