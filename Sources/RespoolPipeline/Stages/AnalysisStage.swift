package import RespoolMedia

/// First of two encoding passes: collects an encoder's statistics of the frames.
package final class AnalysisStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private var encoder: EncoderInstance?
  /// Statistics that the encoder needs in its last pass.
  package private(set) var statistics: [UInt8] = []

  package init(open: @escaping (Frame) throws(MediaError) -> EncoderInstance) { self.open = open }

  package func consume(_ frame: Frame) throws(MediaError) {
    let encoder: EncoderInstance
    if let open = self.encoder { encoder = open } else { encoder = try open(frame) }
    self.encoder = encoder
    try encoder.encode(frame, keep)
  }

  package func finish() throws(MediaError) {
    try encoder?.encode(nil, keep)
    encoder = nil
  }

  private func keep(_ packet: Packet) {
    packet.buffer?.withBytes { statistics.append(contentsOf: $0) }
  }
}
