package import RespoolMedia

extension EncoderSettings {
  /// `true` if the encoder must hold back as few frames as possible: by the option `low-delay`, or by the host.
  package var needsLowDelay: Bool {
    self[option: "low-delay"].map { $0 == "true" } ?? isLowDelay
  }

  /// Throws `invalidArgument` if more than one of quality, bit rate and the `others` is requested.
  package func checkRateControl(_ others: [String], of library: String) throws(MediaError) {
    let requested =
      [quality != nil ? "quality" : nil, bitRate != nil ? "bit rate" : nil].compactMap { $0 }
      + others.filter { self[option: $0].map { $0 != "false" } ?? false }
    guard requested.count <= 1 else {
      throw MediaError(
        .invalidArgument,
        "\(requested.joined(separator: " and ")) are set; \(library) takes one of them")
    }
  }

  /// Returns the rate and the size of the receiver's buffer (VBV) in kilobits; `nil` if they are not requested.
  ///
  /// Throws `invalidArgument` if only one of the options `maxrate` and `bufsize` is set.
  package func receiverBuffer() throws(MediaError) -> (rate: Int32, size: Int32)? {
    func kilobits(_ name: String) -> Int32 {
      Int32(clamping: (self[option: name].flatMap { Int($0) } ?? 0) / 1000)
    }
    let (rate, size) = (kilobits("maxrate"), kilobits("bufsize"))
    guard (rate > 0) == (size > 0) else {
      throw MediaError(
        .invalidArgument,
        "\(rate > 0 ? "maxrate is set without bufsize" : "bufsize is set without maxrate"); "
          + "VBV needs both")
    }
    return rate > 0 ? (rate, size) : nil
  }
}
