package import RespoolMedia

/// Parameters of a library in the text of one option, `key=value` joined by colons.
package struct ParameterList {
  package struct Parameter {
    package var key: String
    /// `nil`: the key alone, which means `true`.
    package var value: String?
    /// The key with hyphens, without a leading `no-`.
    package var plainKey: String
  }

  /// The name of the option, such as `x264-params`.
  package let option: String
  /// Plain keys that users may not set.
  package let refused: Set<String>

  package init(option: String, refused: Set<String>) {
    self.option = option
    self.refused = refused
  }

  /// Returns the parameters in `text`.
  ///
  /// Throws `invalidArgument` if a key is empty or one of `refused`.
  package func parse(_ text: String) throws(MediaError) -> [Parameter] {
    var result: [Parameter] = []
    for part in text.split(separator: ":") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(halves[0])
      let plain = String(key.map { $0 == "_" ? "-" : $0 })
      let positive = plain.hasPrefix("no-") ? String(plain.dropFirst(3)) : plain
      guard !key.isEmpty else {
        throw MediaError(
          .invalidArgument, "\(option) has \"\(part)\" instead of key=value joined by colons")
      }
      guard !refused.contains(positive) else {
        throw MediaError(
          .invalidArgument, "\(option) sets \(key), which is not an option of this encoder")
      }
      let value = halves.count > 1 ? String(halves[1]) : nil
      result.append(Parameter(key: key, value: value, plainKey: positive))
    }
    return result
  }
}
