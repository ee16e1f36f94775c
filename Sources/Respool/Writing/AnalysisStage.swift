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
    while try encoder.send(frame) == .full {
      guard try drain(encoder) else {
        throw MediaError(.pluginFailure, "the encoder neither takes a frame nor gives statistics")
      }
    }
    _ = try drain(encoder)
  }

  func finish() throws(MediaError) {
    guard let encoder else { return }
    while try encoder.send(nil) == .full {
      guard try drain(encoder) else { break }
    }
    _ = try drain(encoder)
    self.encoder = nil
  }

  private func drain(_ encoder: EncoderInstance) throws(MediaError) -> Bool {
    var any = false
    while case .value(let packet) = try encoder.receive() {
      any = true
      packet.buffer?.withBytes { statistics.append(contentsOf: $0) }
    }
    return any
  }
}
