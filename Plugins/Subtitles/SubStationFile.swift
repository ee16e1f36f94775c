import RespoolPlugin

/// SubStation Alpha: a script with styles and lines of dialogue, whose times are hundredths of a second.
///
/// There is no standard; the form of events is that of Matroska (codec mappings, "S_TEXT/ASS").
struct SubStationFile: SubtitleWriting {
  static let name = "ass"
  static let longName = "SubStation Alpha subtitles"
  static let extensions = ["ass", "ssa"]
  static let mimeTypes = ["text/x-ssa"]
  static let codecs = ["ass"]
  static let timeBase = Rational(1, 100)

  let head: [UInt8]
  /// Lines with the places that they had in their first file.
  private var lines: [(order: Int, line: String)] = []
  private var size = 0
  /// More text than any script has.
  private static let mostBytes = 256 << 20

  init(_ track: TrackDescription) {
    var header = String(
      decoding: track.extradata.filter { $0 != 13 && $0 != 0 }, as: UTF8.self)
    while header.last?.isNewline == true { header.removeLast() }
    if header.isEmpty { header = "[Script Info]\nScriptType: v4.00+" }
    if !header.contains("[Events]") {
      header +=
        "\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
    }
    head = Array((header + "\n").utf8)
  }

  mutating func add(_ event: SubtitleEvent) throws(MediaError) -> [UInt8] {
    let text = String(decoding: event.bytes.prefix { $0 != 0 }, as: UTF8.self)
      .replacing("\r\n", with: "\\N").replacing("\n", with: "\\N").replacing("\r", with: "")
    let fields = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3, let order = Int(fields[0].filter { !$0.isWhitespace }) else {
      throw MediaError(
        .malformed, "a line of dialogue without its place, layer and text", track: 0)
    }
    size += text.utf8.count + 64
    guard size <= Self.mostBytes else {
      throw MediaError(.limitExceeded, "a script of more than \(Self.mostBytes) bytes", track: 0)
    }
    let times = Self.clock(event.start) + "," + Self.clock(event.end)
    lines.append((order, "Dialogue: \(fields[1]),\(times),\(fields[2])\n"))
    return []
  }

  /// Returns the lines in the order of their first file.
  mutating func finish() -> [UInt8] {
    let sorted = lines.enumerated().sorted {
      ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
    }
    return sorted.flatMap { Array($0.element.line.utf8) }
  }

  private static func clock(_ hundredths: Int64) -> String {
    // Hours have one digit.
    let text = SubtitleEvent.clock(hundredths.multipliedClamped(by: 10), ".").dropLast()
    return String(text.hasPrefix("0") ? text.dropFirst() : text)
  }
}
