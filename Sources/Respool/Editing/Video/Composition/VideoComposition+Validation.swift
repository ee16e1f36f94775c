/// Is told what is wrong with a composition, and says whether to look for more.
///
/// Every method has a default that ends the search.
public protocol VideoCompositionValidationHandling: AnyObject {
  /// A property has a value that cannot be rendered with; `key` is its name.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool

  /// No instruction says what is shown in `timeRange`.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: TimeRange
  ) -> Bool

  /// An instruction's time range is invalid, or it overlaps or comes before the one in front of it.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn instruction:
      any VideoCompositionInstructionProtocol
  ) -> Bool

  /// A layer is of a track that is not there; `layer` is nil where the instruction itself asks for
  /// it.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn instruction:
      any VideoCompositionInstructionProtocol,
    layerInstruction layer: VideoCompositionLayerInstruction?
  ) -> Bool
}

extension VideoCompositionValidationHandling {
  public func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool { false }

  public func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: TimeRange
  ) -> Bool { false }

  public func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn instruction:
      any VideoCompositionInstructionProtocol
  ) -> Bool { false }

  public func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn instruction:
      any VideoCompositionInstructionProtocol,
    layerInstruction layer: VideoCompositionLayerInstruction?
  ) -> Bool { false }
}

extension VideoComposition {
  /// Whether the instructions tell for every time of `timeRange` what is shown, and all values can
  /// be rendered with.
  ///
  /// Less than a microsecond between times is what rounding leaves, and no fault.
  ///
  /// - Parameters:
  ///   - trackIDs: of the tracks there are; nil leaves the identifiers unchecked.
  ///   - assetDuration: where the instructions have to reach to; not checked where it is not
  ///     numeric.
  ///   - timeRange: what is checked; from zero to positive infinity for everything.
  ///   - validationDelegate: is told each fault, in the order of values, times and tracks.
  ///     Without it, or where it answers no, the first fault ends the search.
  public func isValid(
    forTracks trackIDs: [Int64]?, assetDuration: MediaTime,
    timeRange: TimeRange = TimeRange(start: .zero, duration: .positiveInfinity),
    validationDelegate: (any VideoCompositionValidationHandling)? = nil
  ) -> Bool {
    var isValid = true
    /// Notes a fault; whether to go on.
    func found(_ ask: (any VideoCompositionValidationHandling) -> Bool) -> Bool {
      isValid = false
      return validationDelegate.map(ask) ?? false
    }
    for key in invalidKeys(trackIDs)
    where !found({
      $0.videoComposition(self, shouldContinueValidatingAfterFindingInvalidValueForKey: key)
    }) { return false }

    for fault in timeFaults(in: timeRange, assetDuration) {
      let goesOn =
        switch fault {
        case .gap(let gap):
          found {
            $0.videoComposition(self, shouldContinueValidatingAfterFindingEmptyTimeRange: gap)
          }
        case .invalid(let instruction):
          found {
            $0.videoComposition(
              self, shouldContinueValidatingAfterFindingInvalidTimeRangeIn: instruction)
          }
        }
      if !goesOn { return false }
    }
    for (instruction, layer) in unknownTracks(trackIDs)
    where !found({
      $0.videoComposition(
        self, shouldContinueValidatingAfterFindingInvalidTrackIDIn: instruction,
        layerInstruction: layer)
    }) { return false }
    return isValid
  }

  /// By how much times may differ that are the same but were rounded to different units.
  static let slack = MediaTime(value: 1, timescale: 1_000_000)

  private enum TimeFault {
    case gap(TimeRange)
    case invalid(any VideoCompositionInstructionProtocol)
  }

  private func invalidKeys(_ trackIDs: [Int64]?) -> [String] {
    let configuration = configuration
    var keys: [String] = []
    if !(1...32768).contains(configuration.renderSize.width)
      || !(1...32768).contains(configuration.renderSize.height)
    {
      keys.append("renderSize")
    }
    if !configuration.renderScale.isFinite || configuration.renderScale <= 0 {
      keys.append("renderScale")
    }
    let duration = configuration.frameDuration
    // With a track that leads too: it says how often where that track is empty.
    if !duration.isComputable || duration <= .zero { keys.append("frameDuration") }
    if let trackIDs, !Set(configuration.sourceSampleDataTrackIDs).isSubset(of: trackIDs) {
      keys.append("sourceSampleDataTrackIDs")
    }
    return keys
  }

  /// `true` if `a` is later than `b` by more than the slack.
  ///
  /// By the difference: a sum of the slack and a time near the last that can be told is rounded.
  private static func isLater(_ a: MediaTime, than b: MediaTime) -> Bool {
    a > b && a - b > slack
  }

  /// Gaps and invalid ranges in the order of the instructions.
  private func timeFaults(in timeRange: TimeRange, _ duration: MediaTime) -> [TimeFault] {
    let first = timeRange.isValid && timeRange.start.isComputable ? timeRange.start : .zero
    var last = timeRange.isValid ? timeRange.end : .positiveInfinity
    if duration.isNumeric { last = min(last, duration) }
    var faults: [TimeFault] = []
    var covered = first
    var previous: MediaTime?
    for instruction in instructions {
      let range = instruction.timeRange
      guard range.isValid, range.start.isComputable, !range.isEmpty, !range.end.isIndefinite,
        previous.map({ !Self.isLater($0, than: range.start) }) ?? true
      else {
        faults.append(.invalid(instruction))
        continue
      }
      if Self.isLater(range.start, than: covered) && covered < last {
        faults.append(.gap(TimeRange(start: covered, end: min(range.start, last))))
      }
      previous = range.end
      covered = max(covered, range.end)
    }
    if last.isNumeric && Self.isLater(last, than: covered) {
      faults.append(.gap(TimeRange(start: covered, end: last)))
    } else if previous == nil && !last.isNumeric {
      faults.append(.gap(TimeRange(start: covered, duration: .positiveInfinity)))
    }
    return faults
  }

  private func unknownTracks(_ trackIDs: [Int64]?) -> [(
    any VideoCompositionInstructionProtocol, VideoCompositionLayerInstruction?
  )] {
    guard let trackIDs else { return [] }
    let known = Set(trackIDs)
    var faults: [(any VideoCompositionInstructionProtocol, VideoCompositionLayerInstruction?)] = []
    for instruction in instructions {
      let layers = (instruction as? VideoCompositionInstruction)?.layerInstructions ?? []
      for layer in layers where !known.contains(layer.trackID) {
        faults.append((instruction, layer))
      }
      var asked = Set(instruction.requiredSourceTrackIDs ?? []).subtracting(layers.map(\.trackID))
      asked.formUnion(instruction.requiredSourceSampleDataTrackIDs)
      if instruction.passthroughTrackID != 0 { asked.insert(instruction.passthroughTrackID) }
      if !asked.isSubset(of: known) { faults.append((instruction, nil)) }
    }
    return faults
  }
}
