import RespoolMedia

extension VideoComposition {
  /// Returns `true` if the composition can be rendered with the asset.
  ///
  /// The instructions must cover every time of `timeRange` that the asset has, and name only its tracks. All
  /// values must be usable. The instructions have to reach to the end of the last video track: later there is only
  /// audio, for which `VideoComposition(propertiesOf:)` makes no instruction. Calls the delegate as
  /// `isValid(forTracks:assetDuration:timeRange:validationDelegate:)` does. Blocks while the asset is opened.
  /// Throws if it cannot be read.
  public func isValidAndWait(
    for asset: Asset, timeRange: TimeRange = TimeRange(start: .zero, duration: .positiveInfinity),
    validationDelegate: (any VideoCompositionValidationHandling)? = nil
  ) throws(MediaError) -> Bool {
    let (trackIDs, end) = try asset.shownTracks()
    return isValid(
      forTracks: trackIDs, assetDuration: end, timeRange: timeRange,
      validationDelegate: validationDelegate)
  }

  /// Asynchronous version of `isValidAndWait`; does not block a thread of the cooperative pool.
  public func isValid(
    for asset: Asset, timeRange: TimeRange = TimeRange(start: .zero, duration: .positiveInfinity),
    validationDelegate: (any VideoCompositionValidationHandling)? = nil
  ) async throws(MediaError) -> Bool {
    let (trackIDs, end) = try await PlainThread.result("validation") { () throws(MediaError) in
      try asset.shownTracks()
    }
    return isValid(
      forTracks: trackIDs, assetDuration: end, timeRange: timeRange,
      validationDelegate: validationDelegate)
  }

  /// Returns the tracks of timed metadata that the compositor reads; blocks.
  ///
  /// Throws `invalidArgument` if the asset lacks one of them, or if one is not timed metadata.
  func metadataTracks(in asset: Asset) throws(MediaError) -> [AssetTrack] {
    let numbers = sourceSampleDataTrackIDs
    guard !numbers.isEmpty else { return [] }
    let tracks = try asset.tracks()
    if let missing = numbers.first(where: { id in !tracks.contains { $0.trackID == id } }) {
      throw MediaError(
        .invalidArgument,
        "the video composition reads metadata of track \(missing), which the asset does not have",
        detail: .invalidVideoComposition)
    }
    let named = tracks.filter { numbers.contains($0.trackID) }
    if let other = named.first(where: { !$0.description.isTimedMetadata }) {
      throw MediaError(
        .invalidArgument,
        "the video composition reads metadata of track \(other.trackID), which is not timed "
          + "metadata but \(other.mediaType.rawValue) (\(other.description.codec))",
        detail: .invalidVideoComposition)
    }
    return named
  }

  /// Checks that every frame of `tracks` within a range can be rendered.
  ///
  /// The instructions have to cover the time without gaps. It runs from the start of the first track to the end of
  /// the last track or instruction; nothing is visible before and after it. Instructions may name any track of the
  /// asset, even if it is not among `tracks`.
  ///
  /// Throws `invalidArgument` with the first fault and its place.
  func check(_ tracks: [AssetTrack], of asset: Asset, in range: TimeRange) throws(MediaError) {
    _ = try metadataTracks(in: asset)
    let shown = tracks.map(\.timeRange).filter { $0.isValid && $0.start.isNumeric }
    let ends = (shown + instructions.map(\.timeRange)).map(\.end).filter(\.isNumeric)
    let start = max(range.start, shown.map(\.start).min() ?? .zero)
    let end = max(start, min(range.end, ends.max() ?? .zero))
    let fault = FirstFault()
    let isValid = isValid(
      forTracks: try asset.shownTracks().trackIDs, assetDuration: .invalid,
      timeRange: TimeRange(start: start, end: end), validationDelegate: fault)
    if !isValid {
      throw MediaError(.invalidArgument, fault.sentence, detail: .invalidVideoComposition)
    }
  }
}

extension Asset {
  /// Returns the identifiers of the tracks and the end of the last video track; blocks.
  fileprivate func shownTracks() throws(MediaError) -> (trackIDs: [Int64], end: MediaTime) {
    let tracks = try tracks()
    let ends = tracks.filter(\.description.isMovingPicture).map(\.timeRange.end)
    return (
      tracks.map(\.trackID), ends.filter(\.isNumeric).max() ?? .invalid
    )
  }
}

/// A delegate that describes the first fault of a composition in a sentence.
private final class FirstFault: VideoCompositionValidationHandling {
  var sentence = "the video composition cannot be rendered"

  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool {
    sentence = "the video composition has no usable \(key)"
    return false
  }

  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: TimeRange
  ) -> Bool {
    sentence = "the video composition has no instruction \(Self.span(timeRange))"
    return false
  }

  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn instruction:
      any VideoCompositionInstructionProtocol
  ) -> Bool {
    sentence =
      "the video composition's instruction \(Self.span(instruction.timeRange)) is empty, or does not "
      + "start after the one before ends"
    return false
  }

  func videoComposition(
    _ composition: VideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn instruction:
      any VideoCompositionInstructionProtocol,
    layerInstruction layer: VideoCompositionLayerInstruction?
  ) -> Bool {
    sentence =
      "the video composition's instruction \(Self.span(instruction.timeRange)) shows "
      + (layer.map { "track \($0.trackID), which" } ?? "a track that")
      + " the asset does not have"
    return false
  }

  private static func span(_ range: TimeRange) -> String {
    "from \(range.start.seconds) s to \(range.end.seconds) s"
  }
}
