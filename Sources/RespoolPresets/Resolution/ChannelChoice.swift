import RespoolMedia

/// Choice of the channel layout in which a track is encoded.
struct ChannelChoice {
  private let encoder: FactoryDescription
  private let limit: Int?

  /// Creates the choice.
  ///
  /// `limit` is the maximum number of channels. `nil` for any number.
  init(_ encoder: FactoryDescription, limit: Int?) { (self.encoder, self.limit) = (encoder, limit) }

  /// Maximum number of channels of the output.
  private var most: Int { min(limit ?? .max, encoder.channelCounts?.upperBound ?? .max) }

  func layout(for track: TrackDescription, _ recorder: DecisionRecorder) -> ChannelLayout {
    guard track.channelLayout.channelCount > 0 else {
      recorder.record("channels", "stereo", "the source does not state the number of channels")
      return .stereo
    }
    let source = track.channelLayout.resolved
    if source.channelCount <= most, encoder.takes(source) {
      recorder.record("channels", "\(source)", "as the source")
      return source
    }
    if let layout = layoutWithAll(of: source) {
      let isWider = layout.channelCount > source.channelCount
      let how = isWider ? "with silent channels added" : "moved to the nearest layout"
      let reason = "\(source) \(how): \(encoder.name) does not take \(source)"
      recorder.record(
        "channels", "\(layout)", reason,
        note: isWider ? "\(recorder.subject): the channels become \(layout): \(reason)" : nil)
      return layout
    }
    guard let layout = nearestLayout(to: source) else {
      recorder.record(
        "channels", "\(source)", "as the source; \(encoder.name) takes no nearer layout")
      return source
    }
    let limited = limit.map { $0 < source.channelCount } ?? false
    let why =
      limited ? "the preset allows \(most) at most" : "\(encoder.name) does not take \(source)"
    let count = layout.channelCount
    let how =
      count < source.channelCount
      ? "mixed down" : count > source.channelCount ? "spread" : "moved to the nearest layout"
    let reason = "\(source) \(how): \(why)"
    let isAsked = limited || source == .mono
    recorder.record(
      "channels", "\(layout)", reason,
      loss: isAsked
        ? nil
        : "\(recorder.subject): the channels of \(source) are mixed into \(layout), because \(encoder.name) takes "
          + "no layout with all of them",
      note: isAsked ? "\(recorder.subject): the channels become \(layout): \(reason)" : nil)
    return layout
  }

  /// Returns the encoder's smallest layout with a loudspeaker for each of the source's channels; `nil` if
  /// none fits.
  ///
  /// A side pair can replace a back pair if the source has only one pair.
  func layoutWithAll(of source: ChannelLayout) -> ChannelLayout? {
    if source.channelCount <= most, encoder.takes(source) { return source }
    guard source.mask != 0 else { return nil }
    let wanted = source.withOnePairAtTheBack.mask
    return encoder.channelLayouts.filter { layout in
      layout.channelCount <= most && encoder.takes(layout)
        && layout.withOnePairAtTheBack.mask & wanted == wanted
    }.min { ($0.channelCount, $0.mask) < ($1.channelCount, $1.mask) }
  }

  /// Returns the layout into which the source is mixed; `nil` if the encoder takes none.
  ///
  /// Fewer channels are mixed down; the same number is moved to the loudspeakers that the encoder supports.
  /// If it supports only more channels, such as an encoder of stereo alone, mono becomes stereo.
  private func nearestLayout(to source: ChannelLayout) -> ChannelLayout? {
    var counts = Array((1...max(1, min(source.channelCount, most, 64))).reversed())
    counts += (1...64).filter { $0 > source.channelCount && $0 <= most }
    return counts.lazy.map { count in
      let known = encoder.channelLayouts.filter { $0.channelCount == count }
      return known.first { $0 == .standard(count) } ?? known.first ?? .standard(count)
    }.first { encoder.takes($0) }
  }
}

extension FactoryDescription {
  /// Returns `true` if an encoder takes a channel layout.
  func takes(_ layout: ChannelLayout) -> Bool {
    if let counts = channelCounts, !counts.contains(layout.channelCount) { return false }
    return channelLayouts.isEmpty || channelLayouts.contains(layout)
  }
}
