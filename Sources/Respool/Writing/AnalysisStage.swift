import RespoolMedia

/// Frames in, an encoder's account of them out: the first of two passes.
final class AnalysisStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private var encoder: EncoderInstance?
  /// What the encoder wants to be given in its last pass.
  private(set) var statistics: [UInt8] = []

  init(open: @escaping (Frame) throws(MediaError) -> EncoderInstance) { self.open = open }

  func consume(_ frame: Frame) throws(MediaError) {
    let encoder: EncoderInstance
    if let open = self.encoder { encoder = open } else { encoder = try open(frame) }
    self.encoder = encoder
    try encoder.encode(frame, keep)
  }

  func finish() throws(MediaError) {
    try encoder?.encode(nil, keep)
    encoder = nil
  }

  private func keep(_ packet: Packet) {
    packet.buffer?.withBytes { statistics.append(contentsOf: $0) }
  }
}
