public import RespoolMedia

extension FileCheck {
  /// A fact that a check has found about a file.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a finding; only `damage` means that the file is not whole.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// Media cannot be read or decoded, or is missing.
      case damage
      /// Lengths that the file states differ from those that were found.
      case disagreement
      /// Media could not be checked, because no plugin decodes it.
      case unchecked
    }

    public var kind: Kind
    /// The track; `nil` for the file as a whole.
    public var track: TrackNumber?
    /// First and last presentation time, in seconds; `nil` if they are unknown.
    public var times: ClosedRange<Double>?
    /// The finding as a sentence, with its times.
    public var message: String

    public init(
      _ kind: Kind, track: TrackNumber? = nil, times: ClosedRange<Double>? = nil, _ message: String
    ) {
      self.kind = kind
      self.track = track
      self.times = times
      self.message = message
    }

    /// Text of the form `track 1: message`.
    public var description: String { track.map { "\($0): \(message)" } ?? message }
  }

  /// Result of a check.
  public struct Report: Sendable {
    /// Findings, damage first.
    public internal(set) var findings: [Finding] = []
    /// Latest end of a packet that was read, in seconds.
    public internal(set) var duration = 0.0
    /// Contents of the tracks, in their order.
    public internal(set) var tracks: [Track] = []
    /// Number of findings of each kind, with those that are left out.
    var counts: [Finding.Kind: Int] = [:]

    public init() {}

    /// `true` if nothing is damaged or missing.
    public var isWhole: Bool { !findings.contains { $0.kind == .damage } }
  }

  /// Contents of a track that was read.
  public struct Track: Hashable, Sendable {
    public internal(set) var kind: TrackDescription.Kind
    /// `true` for an image that players show for the file.
    public internal(set) var isCover: Bool
    public internal(set) var packetCount: Int64
    /// Number of decoded frames that are presented; `nil` if the track was not decoded.
    public internal(set) var frameCount: Int64?
    /// Number of decoded audio samples of each channel; `nil` if the track was not decoded as audio.
    public internal(set) var sampleCount: Int64?
    /// Duration of the decoded audio, in seconds.
    var audioSeconds: Double
  }
}
