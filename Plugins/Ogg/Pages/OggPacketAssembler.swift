import COgg
import RespoolPlugin

/// An assembler of one logical stream's packets from its pages.
final class OggPacketAssembler {
  let serial: UInt32
  private let state: UnsafeMutablePointer<ogg_stream_state>

  init(serial: UInt32) {
    self.serial = serial
    state = .allocate(capacity: 1)
    state.initialize(to: ogg_stream_state())
    ogg_stream_init(state, Int32(bitPattern: serial))
  }

  deinit {
    ogg_stream_clear(state)
    state.deallocate()
  }

  /// Discards an incomplete packet, as after a seek.
  func reset() { ogg_stream_reset_serialno(state, Int32(bitPattern: serial)) }

  /// Returns the packets that end on `page`, and `true` if data is missing before one of them.
  func packets(of page: OggPage) -> (packets: [MediaBuffer], hasHole: Bool) {
    guard page.withPage({ ogg_stream_pagein(state, $0) }) == 0 else { return ([], true) }
    var result: [MediaBuffer] = []
    var hasHole = false
    // A page has at most 255 packets. libogg reports a gap once, between them.
    for _ in 0..<512 {
      var packet = ogg_packet()
      switch ogg_stream_packetout(state, &packet) {
      case 0: return (result, hasHole)
      case 1:
        let count = max(0, packet.bytes)
        result.append(
          MediaBuffer(copying: UnsafeRawBufferPointer(start: packet.packet, count: count)))
      default: hasHole = true
      }
    }
    return (result, hasHole)
  }
}
