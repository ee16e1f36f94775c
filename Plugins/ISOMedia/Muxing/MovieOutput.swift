import RespoolPlugin

/// A movie writer, with or without fragments.
protocol MovieOutput: AnyObject {
  func timeBase(ofTrack track: Int) -> Rational
  func write(_ packet: Packet) throws(MediaError)
  func finish(_ media: MediaDescription) throws(MediaError)
}

/// The way in which a movie is delivered in segments while it is written.
enum SegmentStyle: String, CaseIterable {
  case none, plain
  /// Without edit lists: times are stored as they are.
  case hls
  /// ISO/IEC 23000-19: one track per file.
  case cmaf
}

/// The rule that ends fragments.
enum FragmentRule {
  /// After a duration in seconds.
  ///
  /// The first fragment has its own duration.
  case interval(Double, first: Double)
  /// At each packet that starts a segment.
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
      // If only the first duration is given, the rest is a single fragment at the end.
      let rest = interval > 0 ? interval : .infinity
      return try FragmentedMovieWriter(
        media, flavor: self, rule: .interval(rest, first: first > 0 ? first : rest), sink: sink,
        options: options)
    }
    return try MovieWriter(media, flavor: self, sink: sink, options: options)
  }
}
