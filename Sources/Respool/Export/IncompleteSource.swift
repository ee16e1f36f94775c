import RespoolMedia

/// Description of a source that ends before its header says it does.
///
/// The file was cut off, or it was still being copied when it was read. The media that was there has been
/// converted.
public struct IncompleteSource: Hashable, Sendable, CustomStringConvertible {
  /// Name of the file that ends early; `nil`: the source is one file.
  ///
  /// A composition is made of several.
  public var clip: String?
  /// End of the media, in seconds of the source or of the clip.
  public var time: Double
  /// Duration that the header declares, in seconds; `nil`: it declares bytes, or nothing comparable.
  public var declared: Double?
  /// Sentence that states what was declared and what is there.
  public var reason: String
  /// `true` if the file declares no length, as a transport stream, and only its last packet is cut off.
  ///
  /// Recordings of broadcasts may end so, and are not damaged.
  public var isUndeclared = false

  public init(clip: String? = nil, time: Double, declared: Double?, reason: String) {
    self.clip = clip
    self.time = time
    self.declared = declared
    self.reason = reason
  }

  public var description: String {
    let expected = declared.map { " (declared: \($0.decimalText) s)" } ?? ""
    let place =
      clip.map { "the clip \($0) ends early at \(time.decimalText) s from its start" }
      ?? "the source ends early at \(time.decimalText) s"
    return "\(place)\(expected): \(reason)"
  }
}

extension IncompleteSource {
  /// Creates a description if media is missing; returns `nil` if nothing is.
  ///
  /// `media` contains what the file declares. `time` is the end of the packets, in seconds. `isWhole` is `true`
  /// if all tracks were read, so that a declared duration can be compared with `time`.
  ///
  /// `cut` is the error that ended reading because the file is cut off.
  init?(
    _ media: MediaDescription, cut: MediaError? = nil, readTo time: Double, isWhole: Bool
  ) {
    let duration = media.declaresDuration ? media.duration.map { Double($0) / 1e9 } : nil
    // Durations in headers are rounded, and include hidden media at the start and padding at the end.
    let isShort = isWhole && duration.map { $0 > time + Self.tolerance + time / 50 } ?? false
    guard media.endsEarly || cut != nil || isShort else { return nil }
    self.init(
      time: time, declared: isShort ? duration : nil,
      reason: cut?.message
        ?? (media.endsEarly
          ? media.earlyEnd : "the header declares a longer duration than the packets have"))
    isUndeclared = media.format == "mpegts" && cut == nil && !isShort
  }

  /// Seconds by which a declared duration may exceed the packets.
  private static let tolerance = 1.0
}

extension MediaDescription {
  /// Reason why a file ends early, as a part of a sentence.
  var earlyEnd: String { warning ?? "the file is shorter than its header declares" }
}
