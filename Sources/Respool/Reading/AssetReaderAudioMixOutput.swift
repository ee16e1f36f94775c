public import RespoolMedia
import Synchronization

/// The decoded mix of several audio tracks, as a reader's output.
// Sendable: every stored property is constant and Sendable.
public final class AssetReaderAudioMixOutput: AssetReaderOutput, @unchecked Sendable {
  public let audioTracks: [AssetTrack]
  /// Audio sample format of the mix.
  ///
  /// `nil`: 32-bit floating point. For `sampleRate` and `channelLayout`, `nil` means the highest rate and the
  /// layout with most channels among the tracks.
  public let sampleFormat: SampleFormat?
  public let sampleRate: Int?
  public let channelLayout: ChannelLayout?
  private let choices = Mutex((mix: AudioMix?.none, pitch: AudioTimePitchAlgorithm.spectral))

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

  /// Volumes of the tracks, read when reading starts.
  ///
  /// `nil`: volumes are not changed.
  public var audioMix: AudioMix? {
    get { choices.withLock { $0.mix } }
    set { choices.withLock { $0.mix = newValue } }
  }

  /// Algorithm for audio that a composition plays slower or faster, if the mix does not set one.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { choices.withLock { $0.pitch } }
    set { choices.withLock { $0.pitch = newValue } }
  }

  override var tracks: [AssetTrack] { audioTracks }

  /// Descriptions of all sources of the mix: the segments of a composition's track may differ.
  var descriptions: [TrackDescription] {
    audioTracks.flatMap { $0.clips(in: AssetReader.everything) }.map(\.track.description)
  }

  /// Output format in which no source loses quality.
  var audioFormat: AudioFormat {
    let descriptions = descriptions
    let rate = sampleRate ?? descriptions.map(\.sampleRate).max() ?? 48000
    let widest = descriptions.map(\.channelLayout).max { $0.channelCount < $1.channelCount }
    return AudioFormat(
      sampleFormat: sampleFormat ?? .flt, sampleRate: max(1, rate),
      channelLayout: channelLayout ?? widest ?? .stereo)
  }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError)
    -> sending any SampleSource
  {
    guard audioTracks.allSatisfy({ $0.mediaType == .audio }) else {
      throw MediaError(.invalidArgument, "only audio tracks can be mixed")
    }
    let audioFormat = audioFormat
    let (mix, pitch) = (audioMix, audioTimePitchAlgorithm)
    var inputs: [AudioMixer.Input] = []
    for track in audioTracks {
      let parameters = mix?.parameters(forTrackID: track.trackID)
      let stream = try TrackStream(
        track, ranges: ranges,
        settings: .audio(
          sampleFormat: .fltp, sampleRate: audioFormat.sampleRate,
          channelLayout: audioFormat.channelLayout),
        threads: 1, copies: false, pitch: parameters?.audioTimePitchAlgorithm ?? pitch)
      inputs.append(
        AudioMixer.Input(stream, parameters?.volumes, tap: parameters?.audioTapProcessor))
    }
    return try AudioMixer(inputs, audioFormat: audioFormat, ranges: ranges)
  }
}
