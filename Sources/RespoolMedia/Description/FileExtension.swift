/// The form of the extensions with which output files are named.
package enum FileExtension {
  /// Maximum number of characters.
  package static let maximumLength = 16

  /// Returns the reason why an extension cannot name a file; `nil` if it can.
  ///
  /// The path of an output is made with it, so that it must not contain a slash.
  package static func problem(_ text: String) -> String? {
    let hasForm = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_+".contains($0))
    }
    let count = text.count
    guard !hasForm || count > maximumLength else { return nil }
    return "the file extension \"\(text.prefix(40))\" has "
      + (hasForm ? count.counting("character") : "other characters")
      + "; it must have at most \(maximumLength) letters of ASCII, digits, \"-\", \"_\" and \"+\""
  }
}
