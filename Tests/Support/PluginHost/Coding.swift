public import RespoolPlugin

/// Encoding and decoding of whole streams by codecs that are linked instead of loaded.
///
/// Throws if a codec is full after it was emptied, or does not end.
public enum Coding {
  public static func encode(
    _ frames: some Sequence<Frame>, with encoder: any Encoder
  ) throws -> [Packet] {
    try run(frames, send: { try encoder.send($0) }, receive: { try encoder.receive() })
  }

  public static func decode(
    _ packets: some Sequence<Packet>, with decoder: any Decoder
  ) throws -> [Frame] {
    try run(packets, send: { try decoder.send($0) }, receive: { try decoder.receive() })
  }

  private static func run<Input, Result>(
    _ inputs: some Sequence<Input>, send: (Input?) throws -> Feeding,
    receive: () throws -> Output<Result>
  ) throws -> [Result] {
    var results: [Result] = []
    func take() throws -> Output<Result> {
      while true {
        let output = try receive()
        guard case .value(let result) = output else { return output }
        results.append(result)
      }
    }
    for input in inputs {
      guard case .accepted = try send(input) else {
        throw MediaError(.internal, "a codec that was emptied is full")
      }
      _ = try take()
    }
    _ = try send(nil)
    guard case .end = try take() else {
      throw MediaError(.internal, "a drained codec does not end")
    }
    return results
  }
}

extension Packet {
  /// The bytes of the payload, which is empty if it is a range.
  public var bytes: [UInt8] { buffer.map { Array($0.readOnly) } ?? [] }
}
