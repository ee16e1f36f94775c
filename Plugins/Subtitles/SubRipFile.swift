import RespoolPlugin

/// SubRip: numbered events with times and lines of text.
///
/// There is no standard.
struct SubRipFile: SubtitleWriting {
  static let name = "srt"
  static let longName = "SubRip subtitles"
  static let extensions = ["srt"]
  static let mimeTypes = ["application/x-subrip"]
  static let codecs = ["subrip", "text"]
  static let timeBase = Rational(1, 1000)

  private var number = 0

  init(_ track: TrackDescription) {}

  mutating func add(_ event: SubtitleEvent) -> [UInt8] {
    let lines = event.lines
    guard !lines.isEmpty else { return [] }
    number += 1
    let times =
      SubtitleEvent.clock(event.start, ",") + " --> " + SubtitleEvent.clock(event.end, ",")
    let text = "\(number)\n\(times)\n" + lines.joined(separator: "\n") + "\n\n"
    return Array(text.utf8)
  }
}
