import CVorbis
import RespoolPlugin

/// The memory of a libvorbis decoder, which refers to itself and stays in place.
final class DecoderState {
  let info: UnsafeMutablePointer<vorbis_info>
  let synthesis: UnsafeMutablePointer<vorbis_dsp_state>
  private let block: UnsafeMutablePointer<vorbis_block>
  private var isOpen = false
  private var packetNumber: Int64 = 3

  init() {
    info = .allocate(capacity: 1)
    synthesis = .allocate(capacity: 1)
    block = .allocate(capacity: 1)
    info.initialize(to: vorbis_info())
    synthesis.initialize(to: vorbis_dsp_state())
    block.initialize(to: vorbis_block())
    vorbis_info_init(info)
  }

  deinit {
    if isOpen {
      vorbis_block_clear(block)
      vorbis_dsp_clear(synthesis)
    }
    vorbis_info_clear(info)
    info.deallocate()
    synthesis.deallocate()
    block.deallocate()
  }

  /// Reads the three headers.
  func open(_ headers: [[UInt8]]) throws(MediaError) {
    var comment = vorbis_comment()
    vorbis_comment_init(&comment)
    defer { vorbis_comment_clear(&comment) }
    guard headers.count >= 3 else {
      throw MediaError(.malformed, "\(headers.count) headers of Vorbis instead of 3")
    }
    for (number, header) in headers.prefix(3).enumerated() {
      let status = header.withUnsafeBytes { bytes in
        var packet = Self.packet(bytes, number: Int64(number))
        return vorbis_synthesis_headerin(info, &comment, &packet)
      }
      guard status == 0 else {
        let names = ["identification", "comment", "setup"]
        throw MediaError(
          .malformed, "the \(names[number]) header of Vorbis is damaged", cause: "status \(status)")
      }
    }
    guard vorbis_synthesis_init(synthesis, info) == 0 else {
      throw MediaError(.malformed, "libvorbis does not accept the headers of the track")
    }
    vorbis_block_init(synthesis, block)
    isOpen = true
  }

  /// Decodes a packet; returns 0 or libvorbis's number of an error.
  func decode(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var packet = Self.packet(bytes, number: packetNumber)
    packetNumber += 1
    let status = vorbis_synthesis(block, &packet)
    return status == 0 ? vorbis_synthesis_blockin(synthesis, block) : status
  }

  /// Describes the bytes for libvorbis, which only reads them.
  private static func packet(_ bytes: UnsafeRawBufferPointer, number: Int64) -> ogg_packet {
    ogg_packet(
      packet: UnsafeMutablePointer(
        mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)),
      bytes: bytes.count, b_o_s: number == 0 ? 1 : 0, e_o_s: 0, granulepos: -1, packetno: number)
  }
}
