import RespoolMedia

/// Rule for tracks other than video and audio, which are copied or dropped; text can change its codec.
struct OtherTrackRule {
  private let input: ResolutionInput

  init(_ input: ResolutionInput) { self.input = input }

  func cover(_ track: TrackDescription) -> ResolvedSettings.Track.Action {
    if input.preset.cover == .drop { return .drop(reason: "the preset drops covers") }
    if let refusal = input.refusal(of: track) { return .drop(reason: refusal) }
    return .passThrough
  }

  func resolve(_ track: TrackDescription, _ index: Int, _ recorder: DecisionRecorder)
    -> ResolvedSettings.Track.Action
  {
    if track.kind == .subtitle, input.preset.subtitles == .drop {
      return .drop(reason: "the preset drops subtitles")
    }
    if let reason = input.uncopied[index] { return .drop(reason: reason) }
    guard let refusal = whyNot(copy: track) else { return .passThrough }
    // Output that drops its video needs no text for it, unless it has nothing else.
    let isWanted = input.preset.video != nil || input.preset.audio == nil
    guard isWanted, let codec = captionCodec(for: track) else {
      return .drop(reason: refusal)
    }
    recorder.about(.track(TrackNumber(index: index))).record(
      .treatment, codec, "\(refusal); the text is kept")
    return .convertCaptions(codec: codec)
  }

  private func whyNot(copy track: TrackDescription) -> String? {
    if let refusal = input.refusal(of: track) { return refusal }
    return track.isTextOfMovies
      ? "the track stores \(track.codec) in the form of another container" : nil
  }

  /// Returns the codec for text that the container does not carry unchanged; `nil` if there is none.
  private func captionCodec(for track: TrackDescription) -> String? {
    guard track.isReadableText else { return nil }
    return TrackDescription.writableText.first { codec in
      var text = track
      (text.codec, text.codecTag, text.extradata) = (codec, 0, [])
      return input.refusal(of: text) == nil
    }
  }
}
