import RespoolMedia

extension EditedMedia {
  /// Returns an output of a reader for a track that is treated as `track` states, and the time base of its samples.
  ///
  /// The samples of a track that is copied stay ranges of `file`. With `leadsAudio`, copied audio begins early enough to
  /// be decoded.
  func output(
    for track: ResolvedSettings.Track, of file: FileSource? = nil, leadsAudio: Bool = false
  ) throws(MediaError) -> (AssetReaderOutput, Rational) {
    let description = media.tracks[track.source]
    switch origins[track.source] {
    case .mix(let tracks): return mixedAudio(of: tracks, description)
    case .composition(let tracks, let composition):
      let output = AssetReaderVideoCompositionOutput(videoTracks: tracks)
      output.videoComposition = composition
      return (output, timeBase(of: composition, tracks))
    case .sidecar: throw MediaError(.internal, "a file of subtitles was taken for a track")
    case .track(let source):
      switch track.action {
      case .convertCaptions, .passThrough, .drop:
        let output = AssetReaderTrackOutput(track: source, settings: nil)
        output.rangesOf = file
        output.leadsAudio = leadsAudio
        return (output, description.timeBase)
      case .convertVideo:
        return (AssetReaderTrackOutput(track: source, settings: .video()), timeBase(of: source))
      case .convertAudio: return decodedAudio(of: source, description)
      }
    }
  }

  /// Returns an output with decoded audio of a track, whatever is done with it, and the time base of its samples.
  func audioOutput(for track: Int) throws(MediaError) -> (AssetReaderOutput, Rational) {
    switch origins[track] {
    case .mix(let tracks): return mixedAudio(of: tracks, media.tracks[track])
    case .track(let source): return decodedAudio(of: source, media.tracks[track])
    case .composition, .sidecar:
      throw MediaError(.internal, "composed video or text was taken for audio")
    }
  }

  /// Returns `true` if the timeline gives the samples of a track other times than their files, or another time base.
  func isPlaced(_ track: Int, in timeBase: Rational) -> Bool {
    guard case .track(let source) = origins[track], source.isSelfContained else { return true }
    return timeBase != source.description.timeBase
  }

  private func mixedAudio(of tracks: [AssetTrack], _ track: TrackDescription)
    -> (AssetReaderOutput, Rational)
  {
    let output = AssetReaderAudioMixOutput(audioTracks: tracks, sampleFormat: .fltp)
    output.audioMix = configuration.audioMix
    output.audioTimePitchAlgorithm = configuration.audioTimePitchAlgorithm
    return (output, track.timeBase)
  }

  private func decodedAudio(of source: AssetTrack, _ track: TrackDescription)
    -> (AssetReaderOutput, Rational)
  {
    let rate = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    let output = AssetReaderTrackOutput(track: source, settings: .audio(sampleFormat: .fltp))
    output.audioTimePitchAlgorithm = configuration.audioTimePitchAlgorithm
    return (output, rate)
  }
}
