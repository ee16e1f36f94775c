public import RespoolMedia
import Synchronization

/// How the sound tracks of an asset are mixed: how loud each is at every time.
///
/// A track without parameters is as loud as it is.
// Sendable: what changes is behind the lock.
public class AudioMix: @unchecked Sendable {
  private let parameters: Mutex<[AudioMixInputParameters]>

  public init(inputParameters: [AudioMixInputParameters] = []) {
    parameters = Mutex(inputParameters)
  }

  public var inputParameters: [AudioMixInputParameters] { parameters.withLock { $0 } }

  /// A mix with copies of the parameters, which does not change with this one.
  public func copy() -> AudioMix { AudioMix(inputParameters: inputParameters.map { $0.copy() }) }

  /// The same to be changed.
  public func mutableCopy() -> MutableAudioMix {
    MutableAudioMix(inputParameters: inputParameters.map { $0.mutableCopy() })
  }

  func set(_ fresh: [AudioMixInputParameters]) { parameters.withLock { $0 = fresh } }

  /// Those of a track; of several the first count.
  func parameters(forTrackID identifier: Int64) -> AudioMixInputParameters? {
    inputParameters.first { $0.trackID == identifier }
  }
}

/// A mix that can be changed; what reads it takes a copy when it starts.
public final class MutableAudioMix: AudioMix, @unchecked Sendable {
  public override var inputParameters: [AudioMixInputParameters] {
    get { super.inputParameters }
    set { set(newValue) }
  }
}

/// How loud one track is, how it is played slower or faster, and what else becomes of its samples.
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

  /// Parameters that do not change with these.
  public func copy() -> AudioMixInputParameters {
    AudioMixInputParameters(state.withLock { $0 })
  }

  /// The same to be changed.
  public func mutableCopy() -> MutableAudioMixInputParameters {
    MutableAudioMixInputParameters(state.withLock { $0 })
  }

  /// The number of the track; 0 where it is none's.
  public var trackID: Int64 { state.withLock { $0.trackID } }

  /// How the sound is played slower or faster; nil: as the output says.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm? { state.withLock { $0.pitch } }

  /// What changes the samples of the track before its volume; nil: nothing does.
  public var audioTapProcessor: AudioTapProcessor? { state.withLock { $0.tap } }

  /// The ramp at `time`, or the next one after it; nil where there is none.
  ///
  /// A volume that is set at a time is a ramp from and to itself that lasts to the next one. Throws
  /// `invalidArgument` for a time that is not numeric.
  public func getVolumeRamp(for time: MediaTime) throws(MediaError) -> VolumeRamp? {
    guard time.isNumeric else {
      throw MediaError(.invalidArgument, "a volume ramp is asked for at a time that is not numeric")
    }
    return state.withLock { $0.volumes }.ramp(for: time)
  }

  var volumes: VolumeCurve { state.withLock { $0.volumes } }
}

/// Parameters that can be changed.
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

  /// From `time` on it is this loud: 0 silent, 1 as it is; above 1 louder.
  ///
  /// It may be set where a ramp begins, which counts from then on, and where one ends. Throws
  /// `invalidArgument` for a time that is not numeric or lies within a ramp, and a volume that is negative or
  /// no number.
  public func setVolume(_ volume: Float, at time: MediaTime) throws(MediaError) {
    try check(volume)
    guard time.isNumeric else {
      throw MediaError(.invalidArgument, "a volume is set at a time that is not numeric")
    }
    try add(
      VolumeRamp(
        startVolume: volume, endVolume: volume, timeRange: TimeRange(start: time, duration: .zero)))
  }

  /// Over `range` the loudness goes evenly from one value to the other, and stays there.
  ///
  /// Throws `invalidArgument` for a range that is empty or not numeric, overlaps another ramp or has a time in
  /// it at which a volume is set, and for volumes that are negative or no numbers.
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
      throw MediaError(.invalidArgument, "a volume of \(volume), not 0 or more")
    }
  }
}
