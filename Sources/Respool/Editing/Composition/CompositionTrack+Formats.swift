import RespoolMedia

/// A sample description that replaces another one in a composition's track.
public struct CompositionTrackFormatDescriptionReplacement: Hashable, Sendable {
  /// The description of the samples in the file.
  public let originalFormatDescription: FormatDescription
  public let replacementFormatDescription: FormatDescription
}

extension CompositionTrack {
  /// Replacements of `formatDescriptions`, which themselves stay unchanged.
  public var formatDescriptionReplacements: [CompositionTrackFormatDescriptionReplacement] {
    state.withLock { $0.replacements }
  }

  /// Returns the source track of a segment, with its format descriptions replaced.
  func source(of segment: CompositionTrackSegment) -> AssetTrack? {
    guard let track = segment.sourceTrack, track.isSelfContained, let file = track.asset else {
      return segment.sourceTrack
    }
    let replacements = formatDescriptionReplacements
    guard !replacements.isEmpty else { return track }
    let originals = track.description.sampleDescriptions
    let formats = originals.map { original in
      let replacement = replacements.first { $0.originalFormatDescription.track == original }
      return replacement.map { original.described(by: $0.replacementFormatDescription.track) }
        ?? original
    }
    guard formats != originals, var description = formats.first else { return track }
    description.furtherSampleDescriptions = Array(formats.dropFirst())
    return AssetTrack(asset: file, index: track.index, description)
  }
}

extension MutableCompositionTrack {
  /// Replaces the description of samples, for example if the file states a wrong color.
  ///
  /// `original` is one of `formatDescriptions`. A `nil` replacement restores the file's description. From the
  /// replacement come color, pixel aspect ratio, field order, clean aperture, channel layout, configuration
  /// record, codec tag, profile and level. They apply to stored and to decoded samples and override what the
  /// samples themselves state. Throws `invalidArgument` for a format that is not the track's. Throws
  /// `invalidArgument` also if media type, codec, size, sample rate or number of channels differ: samples are
  /// only described differently, not converted.
  public func replaceFormatDescription(
    _ original: FormatDescription, with replacement: FormatDescription?
  ) throws(MediaError) {
    let replaced = formatDescriptionReplacements.map(\.originalFormatDescription)
    guard formatDescriptions.contains(original) || replaced.contains(original) else {
      throw MediaError(.invalidArgument, "the format to be replaced is not one of the track")
    }
    if let replacement, let difference = replacement.track.whyNotDescribing(original.track) {
      throw MediaError(
        .invalidArgument, "a format cannot be replaced by one with another \(difference)")
    }
    state.withLock { state in
      state.replacements.removeAll { $0.originalFormatDescription == original }
      guard let replacement else { return }
      state.replacements.append(
        CompositionTrackFormatDescriptionReplacement(
          originalFormatDescription: original, replacementFormatDescription: replacement))
    }
  }
}

extension TrackDescription {
  /// Returns the property in which this description contradicts the samples of another track.
  ///
  /// `nil` if it can describe them. Unknown values do not differ.
  fileprivate func whyNotDescribing(_ other: TrackDescription) -> String? {
    func differ(_ value: Int, _ other: Int) -> Bool { value > 0 && other > 0 && value != other }
    if kind != other.kind { return "kind of media" }
    if codec != other.codec { return "codec" }
    if differ(width, other.width) || differ(height, other.height) { return "size" }
    if differ(sampleRate, other.sampleRate) { return "rate" }
    if differ(channelLayout.channelCount, other.channelLayout.channelCount) {
      return "number of channels"
    }
    return nil
  }

  /// Returns the track with the sample properties of another description.
  fileprivate func described(by other: TrackDescription) -> TrackDescription {
    var track = self
    (track.color, track.sampleAspect, track.fieldOrder) = (
      other.color, other.sampleAspect, other.fieldOrder
    )
    track.cleanAperture = other.cleanAperture
    if other.channelLayout.channelCount > 0 { track.channelLayout = other.channelLayout }
    if !other.extradata.isEmpty { track.extradata = other.extradata }
    if other.codecTag != 0 { track.codecTag = other.codecTag }
    (track.profile, track.level) = (other.profile, other.level)
    return track
  }
}
