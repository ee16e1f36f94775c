import CLinux
public import RespoolMedia
import Synchronization

/// Reads samples of an asset's tracks.
///
/// Add outputs, start, then take samples from the outputs, in any order, until each returns `nil`. The status
/// is `completed` when all outputs have ended. Every output reads up to some megabytes ahead, on threads of
/// its own. All members may be used from any thread.
public final class AssetReader: Sendable {
  /// State of a reader; raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, reading, completed, failed, cancelled
  }

  private struct State {
    var outputs: [AssetReaderOutput] = []
    var status = Status.unknown
    var failure: MediaError?
    var range = AssetReader.everything
  }

  public let asset: Asset
  private let state = Mutex(State())

  /// Creates a reader and reads the description of the asset.
  ///
  /// Throws if the asset cannot be read.
  public init(asset: Asset) throws(MediaError) {
    self.asset = asset
    _ = try asset.mediaDescription()
  }

  deinit { for output in outputs { output.abandon() } }

  /// A sentence for each damaged part of the files that has been skipped so far.
  public var damage: [String] {
    outputs.flatMap(\.faults).map { "\($0.path): \($0.message)" }
  }

  public var status: Status { state.withLock { $0.status } }
  /// The reason of the failure.
  ///
  /// `nil` unless the status is `failed`.
  public var error: MediaError? { state.withLock { $0.failure } }
  public var outputs: [AssetReaderOutput] { state.withLock { $0.outputs } }

  static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  /// The time range of the asset that is read.
  ///
  /// Default: zero to infinity. Changes after `startReading` have no effect. Decoded audio is cut to the
  /// audio sample. Decoded frames are read if they are visible in the range, and their times are cut to it.
  /// Stored samples start with the last sync sample from which decoding reaches the start of the range. Times
  /// stay those of the asset. `startReading` fails if the range is not valid or its start is not numeric.
  public var timeRange: TimeRange {
    get { state.withLock { $0.range } }
    set { state.withLock { if $0.status == .unknown { $0.range = newValue } } }
  }

  /// `true` if the output can be added.
  ///
  /// Its tracks belong to the asset and have not been removed, it is not attached to a reader, and reading
  /// has not started.
  public func canAdd(_ output: AssetReaderOutput) -> Bool {
    state.withLock { canAdd(output, $0) }
  }

  private func canAdd(_ output: AssetReaderOutput, _ state: State) -> Bool {
    guard state.status == .unknown, output.reader == nil, !output.hasStarted, !output.tracks.isEmpty
    else { return false }
    // One output for each track and kind: a second one would read the same samples again without need.
    if let single = output as? AssetReaderTrackOutput,
      state.outputs.contains(where: {
        ($0 as? AssetReaderTrackOutput)?.track.trackKey == single.track.trackKey
      })
    {
      return false
    }
    return output.tracks.allSatisfy(asset.contains)
  }

  /// Adds an output.
  ///
  /// Throws `invalidArgument` if `canAdd` is false.
  public func add(_ output: AssetReaderOutput) throws(MediaError) {
    try state.withLock { (state) throws(MediaError) in
      guard canAdd(output, state) else {
        throw MediaError(.invalidArgument, "the output cannot be added to this reader")
      }
      output.reader = self
      state.outputs.append(output)
    }
  }

  /// Opens files and decoders and begins to read ahead.
  ///
  /// Returns `false` if that fails or reading has started before; `error` has the reason of a failure.
  @discardableResult public func startReading() -> Bool {
    let outputs = state.withLock { state -> [AssetReaderOutput]? in
      guard state.status == .unknown else { return nil }
      state.status = .reading
      return state.outputs
    }
    guard let outputs else { return false }
    do throws(MediaError) {
      guard timeRange.isValid, timeRange.start.isNumeric else {
        throw MediaError(.invalidArgument, "the time range to read is not numeric")
      }
      for output in outputs { try output.start(timeRange, threads: threads) }
    } catch {
      fail(error)
      return false
    }
    return status == .reading
  }

  /// Decoder threads for each video track, so that all of them share the cores.
  var threads: Int {
    let videoTracks = outputs.reduce(0) { sum, output in
      sum + output.tracks.count { $0.mediaType == .video }
    }
    return max(1, min(4, Int(linux_core_count()) / max(1, videoTracks)))
  }

  /// Stops reading; the next sample that is requested is `nil`.
  ///
  /// Any thread. Has no effect on a reader that has completed or failed.
  public func cancelReading() {
    end { $0.status = .cancelled }
  }

  /// Records that an output has returned its last sample.
  func outputEnded() {
    state.withLock { state in
      if state.status == .reading, state.outputs.allSatisfy(\.isDone) { state.status = .completed }
    }
  }

  func fail(_ error: MediaError) {
    end { state in
      state.status = error.code == .cancelled ? .cancelled : .failed
      if state.status == .failed { state.failure = asset.path.map { error.inFile($0) } ?? error }
    }
  }

  /// Stores the reason why reading ends, unless it has ended, and abandons the outputs.
  private func end(_ record: (inout State) -> Void) {
    let outputs = state.withLock { state -> [AssetReaderOutput] in
      guard state.status == .reading || state.status == .unknown else { return [] }
      record(&state)
      return state.outputs
    }
    for output in outputs { output.abandon() }
  }
}
