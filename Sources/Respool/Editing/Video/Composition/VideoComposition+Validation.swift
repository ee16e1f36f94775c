/// A delegate that receives the faults of a composition and decides whether to continue the search.
///
/// Every method has a default that ends the search.
public protocol VideoCompositionValidationHandling: AnyObject {
  /// Reports that a property has an unusable value; `key` is its name.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool

  /// Reports that no instruction covers `timeRange`.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: TimeRange
  ) -> Bool

  /// Reports that an instruction's time range is invalid, or overlaps or precedes the previous instruction's.
  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn instruction:
      any VideoCompositionInstructionProtocol
  ) -> Bool

  /// Reports a track that does not exist.
  ///
  /// `layer` is `nil` if the instruction itself names the track.
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
  /// Returns `true` if the instructions cover every time of `timeRange` and all values are usable.
  ///
  /// A gap or an overlap of at most a microsecond is a rounding error and no fault.
  ///
  /// - Parameters:
  ///   - trackIDs: The identifiers of all tracks. `nil` leaves the identifiers unchecked.
  ///   - assetDuration: The time to which the instructions have to reach; not checked if it is not
  ///     numeric.
  ///   - timeRange: The range that is checked. Default: from zero to positive infinity.
  ///   - validationDelegate: Receives each fault, in the order of values, times and tracks.
  ///     Without it, or if it returns `false`, the first fault ends the search.
  public func isValid(
    forTracks trackIDs: [Int64]?, assetDuration: MediaTime,
    timeRange: TimeRange = TimeRange(start: .zero, duration: .positiveInfinity),
    validationDelegate: (any VideoCompositionValidationHandling)? = nil
  ) -> Bool {
    var isValid = true
    /// Records a fault and returns `true` if the search continues.
    func found(_ ask: (any VideoCompositionValidationHandling) -> Bool) -> Bool {
      isValid = false
      return validationDelegate.map(ask) ?? false
    }
    for key in invalidKeys(trackIDs)
    where !found({
      $0.videoComposition(self, shouldContinueValidatingAfterFindingInvalidValueForKey: key)
    }) { return false }

    for fault in timeFaults(in: timeRange, assetDuration) {
      let continues =
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
      if !continues { return false }
    }
    for (instruction, layer) in unknownTracks(trackIDs)
    where !found({
      $0.videoComposition(
        self, shouldContinueValidatingAfterFindingInvalidTrackIDIn: instruction,
        layerInstruction: layer)
    }) { return false }
    return isValid
  }

  /// The greatest difference between equal times that were rounded to different time scales.
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
    // Needed even with a track for frame timing: it applies while that track is empty.
    if !duration.isComputable || duration <= .zero { keys.append("frameDuration") }
    if let trackIDs, !Set(configuration.sourceSampleDataTrackIDs).isSubset(of: trackIDs) {
      keys.append("sourceSampleDataTrackIDs")
    }
    return keys
  }

  /// `true` if `a` is later than `b` by more than the slack.
  ///
  /// Compares the difference: adding the slack to a time near the greatest one would round.
  private static func isLater(_ a: MediaTime, than b: MediaTime) -> Bool {
    a > b && a - b > slack
  }

  /// Returns gaps and invalid ranges in the order of the instructions.
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
      // Instructions for a custom compositor need not have layers.
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
