public import RespoolMedia
import Synchronization

/// The mix of an asset's audio tracks: the volume of each track over time.
///
/// The volume of a track without parameters is unchanged.
// Sendable: every stored property is constant and Sendable.
public class AudioMix: @unchecked Sendable {
  fileprivate let parameters: Mutex<[AudioMixInputParameters]>

  public init(inputParameters: [AudioMixInputParameters] = []) {
    parameters = Mutex(inputParameters)
  }

  public var inputParameters: [AudioMixInputParameters] { parameters.withLock { $0 } }

  /// Returns a mix with copies of the parameters, which does not change when this one does.
  public func copy() -> AudioMix { AudioMix(inputParameters: inputParameters.map { $0.copy() }) }

  /// Returns a copy that can be changed.
  public func mutableCopy() -> MutableAudioMix {
    MutableAudioMix(inputParameters: inputParameters.map { $0.mutableCopy() })
  }

  /// Returns the parameters of a track; if there are several, the first.
  func parameters(forTrackID identifier: Int64) -> AudioMixInputParameters? {
    inputParameters.first { $0.trackID == identifier }
  }
}

/// An audio mix that can be changed.
///
/// A reader copies it when it starts.
// Sendable: adds no state to its superclass.
public final class MutableAudioMix: AudioMix, @unchecked Sendable {
  public override var inputParameters: [AudioMixInputParameters] {
    get { super.inputParameters }
    set { parameters.withLock { $0 = newValue } }
  }
}

/// The parameters of one track in a mix: volume, time-pitch algorithm and audio tap.
// Sendable: every stored property is constant and Sendable.
public class AudioMixInputParameters: @unchecked Sendable {
  fileprivate struct State: Sendable {
    var trackID: Int64
    var pitch: AudioTimePitchAlgorithm?
    var tap: AudioTapProcessor?
    var volumes = VolumeCurve()
  }

  fileprivate let state: Mutex<State>

  public init(track: AssetTrack? = nil) {
    state = Mutex(State(trackID: track?.trackID ?? 0))
  }

  fileprivate init(_ state: State) { self.state = Mutex(state) }

  /// Returns a copy that does not change when these parameters do.
  public func copy() -> AudioMixInputParameters {
    AudioMixInputParameters(state.withLock { $0 })
  }

  /// Returns a copy that can be changed.
  public func mutableCopy() -> MutableAudioMixInputParameters {
    MutableAudioMixInputParameters(state.withLock { $0 })
  }

  /// The identifier of the track.
  ///
  /// 0 if the parameters belong to no track.
  public var trackID: Int64 { state.withLock { $0.trackID } }

  /// The algorithm for playing audio slower or faster.
  ///
  /// `nil` for the output's algorithm.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm? { state.withLock { $0.pitch } }

  /// The tap that can change the audio samples of the track before its volume is applied.
  ///
  /// `nil` for no tap.
  public var audioTapProcessor: AudioTapProcessor? { state.withLock { $0.tap } }

  /// Returns the ramp at `time`, or the next one after it.
  ///
  /// `nil` if there is none. A volume that is set at a time is a flat ramp until the next one. Throws
  /// `invalidArgument` for a time that is not numeric.
  public func getVolumeRamp(for time: MediaTime) throws(MediaError) -> VolumeRamp? {
    guard time.isNumeric else {
      throw MediaError(
        .invalidArgument, "the time for which a volume ramp was requested is not numeric")
    }
    return state.withLock { $0.volumes }.ramp(for: time)
  }

  var volumes: VolumeCurve { state.withLock { $0.volumes } }
}

/// The parameters of one track in a mix, which can be changed.
// Sendable: adds no state to its superclass.
public final class MutableAudioMixInputParameters: AudioMixInputParameters, @unchecked Sendable {
  public override var trackID: Int64 {
    get { super.trackID }
    set { state.withLock { $0.trackID = newValue } }
  }

  public override var audioTimePitchAlgorithm: AudioTimePitchAlgorithm? {
    get { super.audioTimePitchAlgorithm }
    set { state.withLock { $0.pitch = newValue } }
  }

  public override var audioTapProcessor: AudioTapProcessor? {
    get { super.audioTapProcessor }
    set { state.withLock { $0.tap = newValue } }
  }

  /// Sets the volume from `time` on.
  ///
  /// 0 is silent, 1 is unchanged, above 1 is louder. `time` may be the start of a ramp, which then takes
  /// precedence, or its end. Throws `invalidArgument` for a time that is not numeric or lies within a ramp, and
  /// for a volume that is negative or not finite.
  public func setVolume(_ volume: Float, at time: MediaTime) throws(MediaError) {
    try check(volume)
    guard time.isNumeric else {
      throw MediaError(.invalidArgument, "the time at which a volume is set is not numeric")
    }
    try add(
      VolumeRamp(
        startVolume: volume, endVolume: volume, timeRange: TimeRange(start: time, duration: .zero)))
  }

  /// Changes the volume linearly over `range` from one value to another, which then stays.
  ///
  /// Throws `invalidArgument` for a range that is empty or not numeric, overlaps another ramp or contains a time
  /// at which a volume is set. Throws `invalidArgument` also for volumes that are negative or not finite.
  public func setVolumeRamp(
    fromStartVolume start: Float, toEndVolume end: Float, timeRange range: TimeRange
  ) throws(MediaError) {
    try check(start)
    try check(end)
    guard range.isValid, range.start.isNumeric, range.duration.isNumeric, !range.isEmpty else {
      throw MediaError(.invalidArgument, "a volume ramp has no numeric time range")
    }
    try add(VolumeRamp(startVolume: start, endVolume: end, timeRange: range))
  }

  private func add(_ ramp: VolumeRamp) throws(MediaError) {
    let other = state.withLock { state in
      let other = state.volumes.ramp(overlapping: ramp.timeRange)
      if other == nil { state.volumes.add(ramp) }
      return other
    }
    guard let (new, old) = other.map({ (ramp.timeRange, $0.timeRange) }) else { return }
    throw MediaError(
      .invalidArgument,
      "a volume from \(new.start.seconds) s to \(new.end.seconds) s overlaps one from "
        + "\(old.start.seconds) s to \(old.end.seconds) s")
  }

  private func check(_ volume: Float) throws(MediaError) {
    guard volume.isFinite, volume >= 0 else {
      throw MediaError(.invalidArgument, "the volume is \(volume); it must be 0 or more")
    }
  }
}
