import RespoolMedia

/// Frame rate of encoded video within the limit of a preset.
struct FrameRateLimit {
  /// Maximum frames per second; frames that come sooner are dropped.
  ///
  /// `nil` keeps every frame.
  private(set) var maximum: Rational?
  /// Frames per second after the limit.
  private(set) var frameRate: Rational

  init(of track: TrackDescription, limit: Rational?, _ recorder: DecisionRecorder) {
    frameRate = track.frameRate
    let isKnown = track.frameRate.isPositive
    let rate = isKnown ? track.frameRate.decimalText : "unknown"
    guard let limit, limit.isPositive else {
      recorder.record("frameRate", rate, "as \(recorder.input); the preset sets no limit")
      return
    }
    let peak = max(track.frameRate.doubleValue, track.baseFrameRate.doubleValue)
    if isKnown, peak <= limit.doubleValue {
      recorder.record(
        "frameRate", rate, "as \(recorder.input); within the limit of \(limit.decimalText)")
      return
    }
    maximum = limit
    if isKnown, track.frameRate.doubleValue <= limit.doubleValue {
      recorder.record(
        "frameRate", "\(rate), at most \(limit.decimalText)",
        "the rate may vary; frames that come sooner than the limit allows are left out")
      return
    }
    frameRate = isKnown ? limit : .unknown
    recorder.record(
      "frameRate", "at most \(limit.decimalText)",
      isKnown ? "\(recorder.input) has \(rate)" : "\(recorder.input) states no frame rate")
  }
}
