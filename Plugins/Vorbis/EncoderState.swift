import CVorbis
import RespoolPlugin

/// The memory of a libvorbis encoder, which refers to itself and stays in place.
final class EncoderState {
  let info: UnsafeMutablePointer<vorbis_info>
  let analysis: UnsafeMutablePointer<vorbis_dsp_state>
  let block: UnsafeMutablePointer<vorbis_block>
  private var isOpen = false

  init() {
    info = .allocate(capacity: 1)
    analysis = .allocate(capacity: 1)
    block = .allocate(capacity: 1)
    info.initialize(to: vorbis_info())
    analysis.initialize(to: vorbis_dsp_state())
    block.initialize(to: vorbis_block())
    vorbis_info_init(info)
  }

  deinit {
    if isOpen {
      vorbis_block_clear(block)
      vorbis_dsp_clear(analysis)
    }
    vorbis_info_clear(info)
    info.deallocate()
    analysis.deallocate()
    block.deallocate()
  }

  func open(_ parameters: Parameters) throws(MediaError) {
    try parameters.configure(info)
    guard vorbis_analysis_init(analysis, info) == 0 else {
      throw MediaError(.pluginFailure, "libvorbis could not be opened")
    }
    vorbis_block_init(analysis, block)
    isOpen = true
  }

  /// Returns the three headers in Xiph lacing, without tags.
  func headers() throws(MediaError) -> [UInt8] {
    var comment = vorbis_comment()
    vorbis_comment_init(&comment)
    defer { vorbis_comment_clear(&comment) }
    var packets = (ogg_packet(), ogg_packet(), ogg_packet())
    guard
      vorbis_analysis_headerout(analysis, &comment, &packets.0, &packets.1, &packets.2) == 0,
      let laced = XiphLacing.join(
        [packets.0, packets.1, packets.2].map {
          Array(UnsafeBufferPointer(start: $0.packet, count: max(0, $0.bytes)))
        })
    else { throw MediaError(.pluginFailure, "libvorbis returned no headers") }
    return laced
  }
}
