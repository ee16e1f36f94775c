/// The algorithm for playing audio slower or faster, which keeps or changes the pitch.
public struct AudioTimePitchAlgorithm: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Highest quality; the pitch stays.
  public static let spectral = AudioTimePitchAlgorithm(rawValue: "Spectral")
  /// For speech; the pitch stays.
  public static let timeDomain = AudioTimePitchAlgorithm(rawValue: "TimeDomain")
  /// The pitch follows the speed, as on a tape.
  public static let varispeed = AudioTimePitchAlgorithm(rawValue: "Varispeed")

  var keepsPitch: Bool { self != .varispeed }
}
