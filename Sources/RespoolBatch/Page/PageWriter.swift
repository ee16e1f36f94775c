import RespoolHost
import RespoolMedia

/// The writer of a page about the files of an output folder: one HTML file that needs no other.
///
/// It is written from front to end, so that a million files need no memory. `head.html` has the style and the script,
/// and a policy with their hashes (Content Security Policy Level 3), so that nothing that is in the data can run.
struct PageWriter {
  private let sink: FileSink
  private var rows: [JSON] = []

  /// Number of rows that are written together.
  private static let slice = 500

  init(_ sink: FileSink) throws(MediaError) {
    self.sink = sink
    try sink.write(PackageResources.head_html)
  }

  /// Writes the totals, and the failures for readers without scripts.
  ///
  /// To be called before the first row.
  func put(_ summary: JSON, sentence: String, failures: [(path: String, reason: String)], more: Int)
    throws(MediaError)
  {
    try sink.write(Self.words(sentence, failures, more: more))
    try sink.write(Self.data(summary, class: "summary"))
  }

  /// Returns a page without rows, which asks a server for them.
  static func page(_ summary: JSON, sentence: String) -> [UInt8] {
    PackageResources.head_html + words(sentence, [], more: 0) + data(summary, class: "summary")
      + PackageResources.tail_html
  }

  /// Returns what readers without scripts see.
  private static func words(
    _ sentence: String, _ failures: [(path: String, reason: String)], more: Int
  ) -> [UInt8] {
    var text = "<noscript>\n<p>\(escaped(sentence))</p>\n"
    if !failures.isEmpty {
      text += "<h2>Failed files</h2>\n<ul>\n"
      for file in failures {
        text += "<li><bdi>\(escaped(file.path))</bdi>: \(escaped(file.reason))</li>\n"
      }
      text += "</ul>\n" + (more > 0 ? "<p>And \(more) more.</p>\n" : "")
    }
    return Array((text + "</noscript>\n").utf8)
  }

  mutating func add(_ row: JSON) throws(MediaError) {
    rows.append(row)
    if rows.count >= Self.slice { try flush() }
  }

  /// Writes the rest.
  mutating func finish() throws(MediaError) {
    try flush()
    try sink.write(PackageResources.tail_html)
    try sink.finish()
  }

  private mutating func flush() throws(MediaError) {
    if !rows.isEmpty { try sink.write(Self.data(.array(rows), class: "rows")) }
    rows = []
  }

  private static func data(_ data: JSON, class name: String) -> [UInt8] {
    // No data can end the element.
    let text = data.compactText.replacing("<", with: "\\u003c")
    return Array("<script type=\"application/json\" class=\"\(name)\">\(text)</script>\n".utf8)
  }

  /// Returns text for HTML; control characters, also those that turn the direction of text, are shown by their codes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#x27;"
      case _ where scalar.isTerminalControl || scalar.properties.generalCategory == .format:
        let hex = String(scalar.value, radix: 16, uppercase: true)
        result += "[U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex + "]"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns an address of a file for a page in a folder; both paths are absolute.
  static func address(of path: String, from folder: String) -> String {
    func parts(_ path: String) -> [[UInt8]] {
      PathName.bytes(path).split(separator: UInt8(ascii: "/")).map(Array.init)
    }
    let (target, base) = (parts(path), parts(folder))
    let common = zip(target, base).prefix { $0 == $1 }.count
    let names = Array(repeating: Array("..".utf8), count: base.count - common) + target[common...]
    return names.map { name in name.map(encoded).joined() }.joined(separator: "/")
  }

  /// Returns a byte of a path in an address: itself if it is unreserved (RFC 3986, 2.3), else percent-encoded.
  private static func encoded(_ byte: UInt8) -> String {
    let letter = Character(Unicode.Scalar(byte))
    guard letter.isASCII, letter.isLetter || letter.isNumber || "-._~".contains(letter) else {
      let hex = String(byte, radix: 16, uppercase: true)
      return "%" + (hex.count < 2 ? "0" : "") + hex
    }
    return String(letter)
  }
}
