import RespoolMedia

/// The version of a tag that is written: 2.4, or 2.3 for old players.
///
/// Versions differ in sizes, text encodings and the separation of values (ID3 2.3.0 sections 3.3 and 4.2, 2.4.0
/// sections 4 and 4.2).
package enum ID3Version: UInt8, Sendable {
  case v3 = 3
  case v4 = 4

  /// Returns an encoding, `prefix` and texts with a terminator between two of them.
  ///
  /// Version 2.4 gets UTF-8; version 2.3 gets Latin-1 for ASCII and UTF-16 for other texts.
  func body(_ texts: [String], prefix: [UInt8] = []) -> [UInt8] {
    let (encoding, terminator) = form(texts)
    let encoded = texts.map { encode($0, encoding) }
    return [encoding] + prefix + encoded.joined(separator: terminator)
  }

  /// Returns an encoding, `prefix`, a text with its terminator, and bytes that are not text.
  func body(_ text: String, prefix: [UInt8] = [], rest: some Sequence<UInt8>) -> [UInt8] {
    let (encoding, terminator) = form([text])
    return [encoding] + prefix + encode(text, encoding) + terminator + Array(rest)
  }

  private func form(_ texts: [String]) -> (encoding: UInt8, terminator: [UInt8]) {
    if self == .v4 { return (3, [0]) }
    return texts.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } ? (0, [0]) : (1, [0, 0])
  }

  private func encode(_ text: String, _ encoding: UInt8) -> [UInt8] {
    guard encoding == 1 else { return Array(text.utf8) }
    return [0xFF, 0xFE]
      + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  /// Returns the texts of a frame with several values.
  ///
  /// Version 2.3 separates values by a slash.
  func values(_ values: [String]) -> [String] {
    self == .v4 ? values : [values.joined(separator: "/")]
  }

  /// Returns the frame with its header.
  ///
  /// `nil` for a body that is too large.
  func bytes(_ frame: ID3Frame) -> [UInt8]? {
    guard self == .v3, !frame.isCoded else { return frame.bytes }
    guard frame.name.utf8.count == 4, frame.body.count < 1 << 28 else { return nil }
    return Array(frame.name.utf8) + UInt32(frame.body.count).bigEndianBytes + [0, 0] + frame.body
  }
}
