public import RespoolMedia
import Synchronization

/// Base class of a reader's outputs: the samples of one track, of several mixed, or of several composed.
///
/// Configure it, add it to a reader, then take samples from one thread at a time.
// Sendable: every stored property is constant and Sendable.
public class AssetReaderOutput: @unchecked Sendable {
  private struct State {
    weak var reader: AssetReader?
    var copies = true
    var randomAccess = false
    /// `true` if a reader has started to read with the output.
    var isFixed = false
    var isFinal = false
    var isAbandoned = false
    /// `true` if the source has returned `nil`.
    var hasEnded = false
    /// Streams of the source.
    ///
    /// `nil` until it is open.
    var streams: [any SampleStream]?
  }

  public let mediaType: MediaType
  private let state = Mutex(State())
  /// Source of the samples, whose lock is held while a sample is taken.
  private let source = Mutex<(any SampleSource)?>(nil)

  init(mediaType: MediaType) { self.mediaType = mediaType }

  /// The reader to which the output belongs.
  ///
  /// `nil` if it is not attached, or if the reader no longer exists.
  var reader: AssetReader? {
    get { state.withLock { $0.reader } }
    set { state.withLock { $0.reader = newValue } }
  }

  /// `true` if samples have memory of their own, which may be written to.
  ///
  /// Default: `true`. If `false`, nothing is copied and the samples must not be changed, because a decoder
  /// may still need them. Changes after reading has started have no effect.
  public var alwaysCopiesSampleData: Bool {
    get { state.withLock { $0.copies } }
    set { state.withLock { if !$0.isFixed { $0.copies = newValue } } }
  }

  /// `true` if other time ranges can be read after the first.
  ///
  /// Default: `false`. Changes after reading has started have no effect.
  public var supportsRandomAccess: Bool {
    get { state.withLock { $0.randomAccess } }
    set { state.withLock { if !$0.isFixed { $0.randomAccess = newValue } } }
  }

  /// `true` if a reader has started to read with the output, even if that reader no longer exists.
  var hasStarted: Bool { state.withLock { $0.isFixed } }

  /// The tracks that must belong to the reader's asset.
  var tracks: [AssetTrack] { [] }

  /// Opens the source of the samples of `ranges`; subclasses override it.
  func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> sending any SampleSource {
    throw MediaError(.internal, "the output has an unknown type")
  }

  /// Returns the next sample; blocks until there is one.
  ///
  /// Returns `nil` at the end and on failure; the reader's status distinguishes them.
  public func copyNextSampleBuffer() -> SampleBuffer? {
    let reader = state.withLock { state in
      state.streams == nil || state.hasEnded || state.isAbandoned ? nil : state.reader
    }
    guard let reader else { return nil }
    do throws(MediaError) {
      if let sample = try source.withLock({ (source) throws(MediaError) in try source?.next() }) {
        return reader.status == .reading ? sample : nil
      }
      state.withLock { $0.hasEnded = true }
      reader.outputEnded()
    } catch { reader.fail(error) }
    return nil
  }

  /// Makes the output read `ranges` next.
  ///
  /// Allowed if random access is supported, after `copyNextSampleBuffer` has returned `nil`, while the reader
  /// is reading and the configuration is not final. The ranges must be numeric, ascending and without
  /// overlap. Throws `invalidArgument` if one of these conditions is not met.
  public func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
    guard supportsRandomAccess, let reader, reader.status == .reading,
      state.withLock({ $0.hasEnded && !$0.isFinal })
    else {
      throw MediaError(
        .invalidArgument,
        "an output can be read again only if it supports random access, has been read to its end "
          + "and is not final")
    }
    var end: MediaTime?
    for range in ranges {
      guard range.isValid, range.start.isNumeric, !range.isEmpty,
        end.map({ range.start >= $0 }) ?? true
      else {
        throw MediaError(.invalidArgument, "time ranges to read must be in order and not overlap")
      }
      end = range.end
    }
    try begin(ranges, threads: reader.threads)
  }

  /// Declares that no other ranges will be read, so that the reader can complete.
  public func markConfigurationAsFinal() {
    state.withLock { $0.isFinal = true }
    reader?.outputEnded()
  }

  /// `true` if the reader need not wait for the output.
  var isDone: Bool { state.withLock { $0.hasEnded && ($0.isFinal || !$0.randomAccess) } }

  func start(_ range: TimeRange, threads: Int) throws(MediaError) {
    state.withLock { $0.isFixed = true }
    try begin([range], threads: threads)
  }

  private func begin(_ ranges: [TimeRange], threads: Int) throws(MediaError) {
    try source.withLock { (source) throws(MediaError) in
      let fresh = try open(ranges, threads: threads)
      state.withLock { [streams = fresh.streams] state in
        state.streams = streams
        state.hasEnded = false
      }
      source = fresh
    }
  }

  /// Ends reading: the source stops, and no more samples are returned.
  func abandon() {
    let streams = state.withLock { state in
      // The output of a reader that never started can be added to another one.
      state.isAbandoned = state.isFixed
      return state.streams
    }
    for stream in streams ?? [] { stream.abandon() }
  }

  /// Faults of the files that have been skipped so far.
  var faults: [SourceFault] { state.withLock { $0.streams ?? [] }.flatMap(\.faults) }
}

/// A source of samples in sequence, for one thread at a time.
protocol SampleSource: AnyObject {
  /// Returns the next sample, or `nil` at the end; blocks until there is one.
  func next() throws(MediaError) -> SampleBuffer?
  /// The streams from which the samples come, for any thread.
  var streams: [any SampleStream] { get }
}

/// Samples that are read ahead on a thread of their own.
protocol SampleStream: SampleSource, Sendable {
  /// Makes `next` throw `cancelled` from now on.
  func abandon()
  var faults: [SourceFault] { get }
}

extension SampleStream {
  var streams: [any SampleStream] { [self] }
}
