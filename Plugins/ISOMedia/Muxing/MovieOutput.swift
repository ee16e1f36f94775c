import RespoolPlugin

/// A movie writer, with or without fragments.
protocol MovieOutput: AnyObject {
  func timeBase(ofTrack track: Int) -> Rational
  func write(_ packet: Packet) throws(MediaError)
  func finish(_ media: MediaDescription) throws(MediaError)
}

/// The rule that ends fragments.
enum FragmentRule {
  /// After a duration in seconds.
  ///
  /// The first fragment has its own duration.
  case interval(Double, first: Double)
  /// At each packet that starts a segment.
  case segments(MuxerSettings.SegmentFormat)
}

extension Flavor {
  func output(_ media: MediaDescription, sink: ByteSink, settings: MuxerSettings)
    throws(MediaError) -> any MovieOutput
  {
    func seconds(_ stated: Double?, _ option: String) -> Double {
      stated ?? settings.value(of: option).flatMap { Double($0) } ?? 0
    }
    let interval = seconds(settings.fragmentInterval, "fragment-interval")
    let first = seconds(settings.firstFragmentInterval, "first-fragment-interval")
    if settings.segmentFormat != .none {
      return try FragmentedMovieWriter(
        media, flavor: self, rule: .segments(settings.segmentFormat), sink: sink, settings: settings
      )
    }
    if interval > 0 || first > 0 {
      // If only the first duration is given, the rest is a single fragment at the end.
      let rest = interval > 0 ? interval : .infinity
      return try FragmentedMovieWriter(
        media, flavor: self, rule: .interval(rest, first: first > 0 ? first : rest), sink: sink,
        settings: settings)
    }
    return try MovieWriter(media, flavor: self, sink: sink, settings: settings)
  }
}

extension MuxerSettings {
  /// Returns the value of an option; `nil` if it is not set.
  func value(of option: String) -> String? { options.last { $0.name == option }?.value }
}
