public import RespoolMedia
import CLinux

/// Reads samples of an asset's tracks.
///
/// Add outputs, start, then take samples from the outputs, in any order, until each gives nil; the
/// status is `completed` when all have. Every output reads ahead on threads of its own, as far as some
/// megabytes. All members may be used from any thread.
// Sendable: what changes is behind the lock.
public final class AssetReader: @unchecked Sendable {
  /// Raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, reading, completed, failed, cancelled
  }

  public let asset: Asset
  private let lock = Monitor()
  private var readerOutputs: [AssetReaderOutput] = []
  private var state = Status.unknown
  private var failure: MediaError?
  private var range = AssetReader.everything

  /// Looks into the asset.
  ///
  /// Throws where it cannot be read.
  public init(asset: Asset) throws(MediaError) {
    self.asset = asset
    _ = try asset.mediaDescription()
  }

  deinit { for output in readerOutputs { output.abandon() } }

  /// A sentence for each damaged part of the files that has been passed over so far.
  public var damage: [String] {
    outputs.flatMap(\.faults).map { "\($0.path): \($0.words)" }
  }

  public var status: Status { lock.locked { state } }
  /// Why it failed; nil unless the status is `failed`.
  public var error: MediaError? { lock.locked { failure } }
  public var outputs: [AssetReaderOutput] { lock.locked { readerOutputs } }

  private static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  /// What of the asset is read; zero to infinity unless it is set before `startReading`.
  ///
  /// Decoded sound is cut to the sample; of decoded pictures those come that are seen in the range,
  /// their times cut to it. Stored samples start with the last one from which decoding reaches the
  /// range's start. Times stay those of the asset. Later changes have no effect. A range that is not valid or
  /// begins at a time that is not numeric fails `startReading`.
  public var timeRange: TimeRange {
    get { lock.locked { range } }
    set {
      lock.locked {
        if state == .unknown { range = newValue }
      }
    }
  }

  /// Whether the output's tracks are the asset's, which a track that has been removed is not, it is nobody's yet, and reading has not begun.
  public func canAdd(_ output: AssetReaderOutput) -> Bool {
    lock.locked { canAddLocked(output) }
  }

  private func canAddLocked(_ output: AssetReaderOutput) -> Bool {
    guard state == .unknown, output.reader == nil, !output.hasStarted, !output.tracks.isEmpty
    else { return false }
    // One output to a track and kind: the samples would be read twice for no use.
    if let single = output as? AssetReaderTrackOutput,
      readerOutputs.contains(where: {
        ($0 as? AssetReaderTrackOutput)?.track.trackKey == single.track.trackKey
      })
    {
      return false
    }
    let composed = (asset as? Composition)?.tracks()
    return output.tracks.allSatisfy { track in
      track.asset === asset && (composed?.contains { $0 === track } ?? true)
    }
  }

  /// Throws `invalidArgument` where `canAdd` is false.
  public func add(_ output: AssetReaderOutput) throws(MediaError) {
    let added = lock.locked {
      guard canAddLocked(output) else { return false }
      output.reader = self
      readerOutputs.append(output)
      return true
    }
    if !added { throw MediaError(.invalidArgument, "the output cannot be added to this reader") }
  }

  /// Opens files and decoders and begins to read ahead.
  ///
  /// False where that fails or reading has begun before; `error` tells why.
  @discardableResult public func startReading() -> Bool {
    let outputs: [AssetReaderOutput]? = lock.locked {
      guard state == .unknown else { return nil }
      state = .reading
      return readerOutputs
    }
    guard let outputs else { return false }
    do throws(MediaError) {
      guard timeRange.isValid, timeRange.start.isNumeric else {
        throw MediaError(.invalidArgument, "the time range to be read has no numbers")
      }
      for output in outputs { try output.start(timeRange, threads: threads) }
    } catch {
      fail(error)
      return false
    }
    return status == .reading
  }

  /// Decoder threads for each picture track: the cores are shared by all of them.
  var threads: Int {
    let pictures = outputs.reduce(0) { sum, output in
      sum + output.tracks.count { $0.mediaType == .video }
    }
    return max(1, min(4, Int(linux_core_count()) / max(1, pictures)))
  }

  /// Stops reading; the next sample that is asked for is nil.
  ///
  /// Any thread. Has no effect on a reader that has completed or failed.
  public func cancelReading() {
    let outputs: [AssetReaderOutput] = lock.locked {
      guard state == .reading || state == .unknown else { return [] }
      state = .cancelled
      return readerOutputs
    }
    for output in outputs { output.abandon() }
  }

  /// An output has given its last sample.
  func outputEnded() {
    lock.locked {
      if state == .reading, readerOutputs.allSatisfy(\.isDone) { state = .completed }
    }
  }

  func fail(_ error: MediaError) {
    let outputs: [AssetReaderOutput] = lock.locked {
      guard state == .reading || state == .unknown else { return [] }
      state = error.code == .cancelled ? .cancelled : .failed
      failure = state == .failed ? asset.path.map { error.inFile($0) } ?? error : nil
      return readerOutputs
    }
    for output in outputs { output.abandon() }
  }
}

extension AssetTrack {
  /// What tells it from the asset's other tracks.
  var trackKey: Int64 { isOfFile ? Int64(index) : trackID }
}
