package import RespoolMedia

/// First of two encoding passes: collects an encoder's statistics of the frames.
package final class AnalysisStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private let timeBase: Rational
  private let progress: ((Double) -> Void)?
  private var encoder: EncoderInstance?
  /// Statistics that the encoder needs in its last pass.
  package private(set) var statistics: [UInt8] = []

  /// Creates the stage for frames whose times are in `timeBase`; `progress` gets the seconds until each frame.
  package init(
    timeBase: Rational, progress: ((Double) -> Void)? = nil,
    open: @escaping (Frame) throws(MediaError) -> EncoderInstance
  ) {
    (self.timeBase, self.progress, self.open) = (timeBase, progress, open)
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    let encoder: EncoderInstance
    if let open = self.encoder { encoder = open } else { encoder = try open(frame) }
    self.encoder = encoder
    try encoder.encode(frame, keep)
    if let pts = frame.pts { progress?(Double(pts) * timeBase.doubleValue) }
  }

  package func finish() throws(MediaError) {
    try encoder?.encode(nil, keep)
    encoder = nil
  }

  private func keep(_ packet: Packet) {
    packet.buffer?.withBytes { statistics.append(contentsOf: $0) }
  }
}
