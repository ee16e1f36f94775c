import COgg

/// A writer of packets into the pages of one logical stream.
final class OggPageWriter {
  private let state: UnsafeMutablePointer<ogg_stream_state>
  private var packetNumber: Int64 = 0
  /// Granule position after the last packet.
  private(set) var granule: Int64 = 0
  /// `true` if packets are pending for a page.
  private(set) var isFilled = false

  init(serial: UInt32) {
    state = .allocate(capacity: 1)
    state.initialize(to: ogg_stream_state())
    ogg_stream_init(state, Int32(bitPattern: serial))
  }

  deinit {
    ogg_stream_clear(state)
    state.deallocate()
  }

  /// Adds a packet that ends at `granule`.
  func append(_ packet: [UInt8], granule: Int64, isLast: Bool = false) {
    var bytes = packet
    let isFirst = packetNumber == 0
    bytes.withUnsafeMutableBufferPointer { buffer in
      var packet = ogg_packet(
        packet: buffer.baseAddress, bytes: buffer.count, b_o_s: isFirst ? 1 : 0,
        e_o_s: isLast ? 1 : 0, granulepos: granule, packetno: packetNumber)
      // libogg copies the bytes.
      ogg_stream_packetin(state, &packet)
    }
    packetNumber += 1
    self.granule = granule
    isFilled = true
  }

  /// Returns all pending packets as pages.
  func flush() -> [UInt8] {
    var result: [UInt8] = []
    var page = ogg_page()
    while ogg_stream_flush_fill(state, &page, 65025) != 0 {
      result += UnsafeBufferPointer(start: page.header, count: page.header_len)
      result += UnsafeBufferPointer(start: page.body, count: page.body_len)
    }
    isFilled = false
    return result
  }
}
