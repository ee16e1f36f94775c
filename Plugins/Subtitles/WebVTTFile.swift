import RespoolPlugin

/// WebVTT: cues with times, settings and text (W3C, WebVTT 4).
struct WebVTTFile: SubtitleWriting {
  static let name = "webvtt"
  static let longName = "WebVTT subtitles"
  static let extensions = ["vtt"]
  static let mimeTypes = ["text/vtt"]
  static let codecs = ["webvtt"]
  static let timeBase = Rational(1, 1000)

  let head: [UInt8]

  /// Takes the header with styles and regions that the track has, as in Matroska.
  init(_ track: TrackDescription) {
    let signature = Array("WEBVTT".utf8)
    var header = track.extradata.filter { $0 != 13 && $0 != 0 }
    if !header.starts(with: signature) {
      header = signature + (header.isEmpty ? [] : [10, 10]) + header
    }
    while header.last == 10 { header.removeLast() }
    head = header + [10, 10]
  }

  mutating func add(_ event: SubtitleEvent) -> [UInt8] {
    // An arrow would begin the times of another cue (4.1).
    let lines = event.lines.map { $0.replacing("-->", with: "--&gt;") }
    guard !lines.isEmpty else { return [] }
    let parts = event.sideData.filter { $0 != 13 }
      .split(separator: 10, maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    func part(_ index: Int) -> String {
      parts.indices.contains(index) ? parts[index].replacing("-->", with: "--&gt;") : ""
    }
    var text = ""
    let comment = part(2).split(separator: "\n", omittingEmptySubsequences: true)
    if !comment.isEmpty { text += comment.joined(separator: "\n") + "\n\n" }
    if !part(1).isEmpty { text += part(1) + "\n" }
    text += SubtitleEvent.clock(event.start, ".") + " --> " + SubtitleEvent.clock(event.end, ".")
    if !part(0).isEmpty { text += " " + part(0) }
    return Array((text + "\n" + lines.joined(separator: "\n") + "\n\n").utf8)
  }
}
