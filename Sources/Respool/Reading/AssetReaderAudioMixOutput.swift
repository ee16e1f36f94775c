public import RespoolMedia

/// What a reader gives of several sound tracks: their mix, decoded.
public final class AssetReaderAudioMixOutput: AssetReaderOutput, @unchecked Sendable {
  public let audioTracks: [AssetTrack]
  /// How the mix shall look; nil parts are as the best of the tracks has them, the format 32-bit
  /// floating point.
  public let sampleFormat: SampleFormat?
  public let sampleRate: Int?
  public let channelLayout: ChannelLayout?
  private var choices = (mix: AudioMix?.none, pitch: AudioTimePitchAlgorithm.spectral)

  public init(
    audioTracks: [AssetTrack], sampleFormat: SampleFormat? = nil, sampleRate: Int? = nil,
    channelLayout: ChannelLayout? = nil
  ) {
    self.audioTracks = audioTracks
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    super.init(mediaType: .audio)
  }

  /// How loud each track is; nil: as loud as it is.
  ///
  /// What it says when reading starts counts.
  public var audioMix: AudioMix? {
    get { lock.locked { choices.mix } }
    set { lock.locked { choices.mix = newValue } }
  }

  /// How sound is played slower or faster where a composition asks for it and the mix does not say.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { lock.locked { choices.pitch } }
    set { lock.locked { choices.pitch = newValue } }
  }

  override var tracks: [AssetTrack] { audioTracks }

  /// Of all that is mixed: the pieces of a composition's track may differ.
  var descriptions: [TrackDescription] {
    audioTracks.flatMap { track -> [TrackDescription] in
      let pieces = (track as? CompositionTrack).map { track in
        track.compositionSegments.compactMap(track.source)
      }
      return (pieces ?? [track]).map(\.description)
    }
  }

  /// The shape of what comes out, in which none of it loses anything.
  var shape: SoundShape {
    let descriptions = descriptions
    let rate = sampleRate ?? descriptions.map(\.sampleRate).max() ?? 48000
    let widest = descriptions.map(\.channelLayout).max { $0.channelCount < $1.channelCount }
    return SoundShape(
      sampleFormat: sampleFormat ?? .flt, sampleRate: max(1, rate),
      channelLayout: channelLayout ?? widest ?? .stereo)
  }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    guard audioTracks.allSatisfy({ $0.mediaType == .audio }) else {
      throw MediaError(.invalidArgument, "only sound can be mixed")
    }
    let shape = shape
    let (mix, pitch) = (audioMix, audioTimePitchAlgorithm)
    var inputs: [SoundMixer.Input] = []
    for track in audioTracks {
      let parameters = mix?.parameters(forTrackID: track.trackID)
      let stream = try TrackStream(
        track, ranges: ranges,
        settings: .audio(
          sampleFormat: .fltp, sampleRate: shape.sampleRate, channelLayout: shape.channelLayout),
        threads: 1, copies: false, pitch: parameters?.audioTimePitchAlgorithm ?? pitch)
      inputs.append(
        SoundMixer.Input(stream, parameters?.volumes, tap: parameters?.audioTapProcessor))
    }
    return try SoundMixer(inputs, shape: shape, ranges: ranges)
  }
}
