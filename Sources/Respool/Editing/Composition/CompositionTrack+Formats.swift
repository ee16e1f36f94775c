import RespoolMedia

/// A description of samples that takes the place of another in a composition's track.
public struct CompositionTrackFormatDescriptionReplacement: Hashable, Sendable {
  /// As the file describes them.
  public let originalFormatDescription: FormatDescription
  public let replacementFormatDescription: FormatDescription
}

extension CompositionTrack {
  /// What takes the place of descriptions among `formatDescriptions`, which stay as they are.
  public var formatDescriptionReplacements: [CompositionTrackFormatDescriptionReplacement] {
    state.withLock { $0.replacements }
  }

  /// The track that a segment shows, with what takes the place of its description.
  func source(of segment: CompositionTrackSegment) -> AssetTrack? {
    guard let track = segment.sourceTrack, let file = track.asset, file.path != nil else {
      return segment.sourceTrack
    }
    let replacements = formatDescriptionReplacements
    guard !replacements.isEmpty else { return track }
    let originals = track.description.formats
    let formats = originals.map { original in
      let replacement = replacements.first { $0.originalFormatDescription.track == original }
      return replacement.map { original.described(by: $0.replacementFormatDescription.track) }
        ?? original
    }
    guard formats != originals, var description = formats.first else { return track }
    description.furtherFormats = Array(formats.dropFirst())
    return AssetTrack(asset: file, index: track.index, description)
  }
}

extension MutableCompositionTrack {
  /// Has samples described otherwise than their file does, such as where that tells a wrong colour; nil: as their
  /// file does again.
  ///
  /// `original` is one of `formatDescriptions`. Of the other colour, shape of a pixel, order of fields, clean
  /// aperture, channel layout, configuration record, code, profile and level are taken, both for stored samples
  /// and for decoded ones, whatever the samples themselves say. Throws `invalidArgument` for a format that is
  /// not the track's, and for one of another kind of media, codec, size, rate or number of channels: samples are
  /// only described otherwise, not converted.
  public func replaceFormatDescription(
    _ original: FormatDescription, with replacement: FormatDescription?
  ) throws(MediaError) {
    let replaced = formatDescriptionReplacements.map(\.originalFormatDescription)
    guard formatDescriptions.contains(original) || replaced.contains(original) else {
      throw MediaError(.invalidArgument, "the format to be replaced is none of the track's")
    }
    if let replacement, let difference = replacement.track.whyNotDescribing(original.track) {
      throw MediaError(
        .invalidArgument, "a format cannot be replaced by one of another \(difference)")
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
  /// In what samples of another track are not what this describes; nil where it can describe them.
  ///
  /// What is not known does not differ.
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

  /// The track with what another says of its samples.
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
