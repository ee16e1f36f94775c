import RespoolPlugin

/// A movie that is being written, with or without fragments.
protocol MovieOutput: AnyObject {
  func timeBase(ofTrack track: Int) -> Rational
  func write(_ packet: Packet) throws(MediaError)
  func finish(_ media: MediaDescription) throws(MediaError)
}

/// Whether a movie is handed out in segments as it is written.
enum SegmentStyle: String, CaseIterable {
  case none, plain
  /// Times are told as they are, without edit lists.
  case hls
  /// ISO/IEC 23000-19: one track to a file.
  case cmaf
}

/// When fragments end.
enum FragmentRule {
  /// After as many seconds, and the first of them after as many.
  case interval(Double, first: Double)
  /// Where a packet starts a segment.
  case segments(SegmentStyle)
}

extension Flavor {
  func output(_ media: MediaDescription, sink: ByteSink, options: [MetadataEntry])
    throws(MediaError) -> any MovieOutput
  {
    func value(_ name: String) -> String? { options.last { $0.name == name }?.value }
    let style = value("segments").flatMap { SegmentStyle(rawValue: $0) } ?? .none
    let interval = value("fragment-interval").flatMap { Double($0) } ?? 0
    let first = value("first-fragment-interval").flatMap { Double($0) } ?? 0
    if style != .none {
      return try FragmentedMovieWriter(
        media, flavor: self, rule: .segments(style), sink: sink, options: options)
    }
    if interval > 0 || first > 0 {
      // Where only the first is told the rest is one more, at the end.
      let rest = interval > 0 ? interval : .infinity
      return try FragmentedMovieWriter(
        media, flavor: self, rule: .interval(rest, first: first > 0 ? first : rest), sink: sink,
        options: options)
    }
    return try MovieWriter(media, flavor: self, sink: sink, options: options)
  }
}
