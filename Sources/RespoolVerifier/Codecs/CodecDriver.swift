import RespoolHost
import RespoolMedia

/// An encoder or a decoder, which is fed and drained in the same way.
protocol DrivenCodec: AnyObject {
  associatedtype Input
  associatedtype Product: Sendable
  func send(_ input: Input?) throws(MediaError) -> Feeding
  func receive() throws(MediaError) -> Output<Product>
}

extension EncoderInstance: DrivenCodec {}
extension DecoderInstance: DrivenCodec {}

/// A caller of a codec that follows the contract and finds where the codec does not.
struct CodecDriver<Codec: DrivenCodec> {
  let codec: Codec
  /// Number of outputs above which there is no end.
  let limit: Int
  /// `true` if the input is damaged, so that errors with a message are allowed.
  var allowsErrors = false
  private(set) var products: [Codec.Product] = []
  /// Number of errors that were allowed.
  private(set) var errors = 0
  private let onProduct: (Codec.Product) throws(Finding) -> Void

  init(
    _ codec: Codec, limit: Int, allowsErrors: Bool = false,
    onProduct: @escaping (Codec.Product) throws(Finding) -> Void = { _ throws(Finding) in }
  ) {
    self.codec = codec
    self.limit = limit
    self.allowsErrors = allowsErrors
    self.onProduct = onProduct
  }

  /// Sends an input and receives what is ready.
  mutating func send(_ input: Codec.Input, _ label: @autoclosure () -> String) throws(Finding) {
    try offer(input, label())
    if try receive(label()) {
      throw Finding("receive returns RSP_END before the end was sent")
    }
  }

  /// Sends the end and receives what is left.
  mutating func drain() throws(Finding) {
    try offer(nil, "draining")
    guard try receive("draining") else {
      throw Finding(
        "receive returns RSP_AGAIN after the end was sent; output or RSP_END was expected")
    }
    for _ in 0..<3 {
      let before = products.count
      guard try receive("after the end") else {
        throw Finding("receive returns RSP_AGAIN after RSP_END; RSP_END was expected again")
      }
      guard products.count == before else { throw Finding("output follows after RSP_END") }
    }
  }

  private mutating func offer(_ input: Codec.Input?, _ label: String) throws(Finding) {
    var refusals = 0
    while refusals < 3 {
      do throws(MediaError) {
        let codec = codec
        let feeding = try PluginCall.run("send") { () throws(MediaError) in try codec.send(input) }
        guard case .full = feeding else { return }
      } catch {
        try allow(error, label)
        return
      }
      let before = products.count
      if try receive(label) {
        if input == nil { return }
        throw Finding("receive returns RSP_END before the end was sent")
      }
      refusals = products.count > before ? 0 : refusals + 1
    }
    throw Finding(
      "send returns RSP_AGAIN and receive returns RSP_AGAIN, again and again: one of them must "
        + "proceed"
    )
  }

  /// Receives until nothing is ready; returns `true` at the end.
  private mutating func receive(_ label: String) throws(Finding) -> Bool {
    while true {
      let output: Output<Codec.Product>
      do throws(MediaError) {
        let codec = codec
        output = try PluginCall.run("receive") { () throws(MediaError) in try codec.receive() }
      } catch {
        try allow(error, label)
        continue
      }
      switch output {
      case .value(let product):
        try onProduct(product)
        products.append(product)
        guard products.count <= limit else {
          throw Finding("receive returned \(products.count) outputs and no end")
        }
      case .needsInput: return false
      case .end: return true
      }
    }
  }

  private mutating func allow(_ error: MediaError, _ label: String) throws(Finding) {
    _ = try message(of: error)
    errors += 1
    guard allowsErrors else { throw Finding("\(label): \(error)") }
    if error.code == .pluginFailure, error.message.contains("wrote beyond") {
      throw Finding(error.message)
    }
    guard errors < 10_000 else { throw Finding("\(errors.counting("error")) in a row and no end") }
  }
}

/// Returns the message of an error.
///
/// Throws a finding if the plugin gave no message, or a status that is not in base.h.
func message(of error: MediaError) throws(Finding) -> String {
  guard (-8 ... -1).contains(error.code.rawValue) else {
    throw Finding(
      "an error has the status \(error.code.rawValue), which is no RSP_ERROR_ of base.h")
  }
  if error.message.isEmpty || error.message == "failed without a message" {
    throw Finding("an error with the status \(error.code.rawValue) has no message")
  }
  if error.message.contains("returned the unknown status") { throw Finding(error.message) }
  return "refused: \(error.message)"
}
