/// Settings with which a filter is opened.
public struct FilterSettings: Sendable {
  /// Description of the frames that come in: size, formats, color, rates, field order and time base.
  public var track: TrackDescription
  /// Number of threads that the filter may use, at least 1.
  public var threads: Int
  /// Options, checked against the filter's schema.
  public var options: [PluginOption]
  /// Services of the host for the job that the filter works for.
  ///
  /// `none` if the filter is opened only for its description of the frames that come out.
  public var job = PluginJob.none

  public init(track: TrackDescription, threads: Int = 1, options: [PluginOption] = []) {
    self.track = track
    self.threads = threads
    self.options = options
  }

  /// The last value given for an option; `nil` if it is not given.
  public subscript(option name: String) -> String? {
    options.last { $0.name == name }?.value
  }
}

/// One result of a filter that measures, such as a loudness.
public struct FilterResult: Hashable, Sendable {
  /// Name in lower case, with words joined by `-`.
  public var name: String
  /// A number with `.` as decimal point, or a text.
  public var value: String
  /// Unit of a number, such as `LUFS`.
  ///
  /// `nil`: none.
  public var unit: String?

  public init(_ name: String, _ value: String, unit: String? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

extension FilterResult: CustomStringConvertible {
  public var description: String {
    name.replacing("-", with: " ") + " \(value)" + (unit.map { " \($0)" } ?? "")
  }
}
