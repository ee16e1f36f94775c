public import RespoolMedia

/// Base class of a reader's outputs: the samples of one track, of several mixed, or of several composed.
///
/// Configure it, add it to a reader, then take samples from one thread at a time.
// Sendable: settings are fixed when reading starts; all other state is behind the lock.
public class AssetReaderOutput: @unchecked Sendable {
  public let mediaType: MediaType
  let lock = Monitor()
  weak var reader: AssetReader?
  private var settings = (copies: true, randomAccess: false)
  private var isFixed = false
  private var isFinal = false
  private var source: (any SampleSource)?
  /// `true` if the source has returned `nil`.
  private(set) var hasEnded = false

  init(mediaType: MediaType) { self.mediaType = mediaType }

  /// `true` if samples have memory of their own, which may be written to.
  ///
  /// Default: `true`. If `false`, nothing is copied and the samples must not be changed, because a decoder
  /// may still need them. Changes after reading has started have no effect.
  public var alwaysCopiesSampleData: Bool {
    get { lock.locked { settings.copies } }
    set { lock.locked { if !isFixed { settings.copies = newValue } } }
  }

  /// `true` if other time ranges can be read after the first.
  ///
  /// Default: `false`. Changes after reading has started have no effect.
  public var supportsRandomAccess: Bool {
    get { lock.locked { settings.randomAccess } }
    set { lock.locked { if !isFixed { settings.randomAccess = newValue } } }
  }

  /// `true` if a reader has started to read with the output, even if that reader no longer exists.
  var hasStarted: Bool { lock.locked { isFixed } }

  /// The tracks that must belong to the reader's asset.
  var tracks: [AssetTrack] { [] }

  /// Opens the source of the samples of `ranges`; subclasses override it.
  func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    throw MediaError(.internal, "the output has an unknown type")
  }

  /// Returns the next sample; blocks until there is one.
  ///
  /// Returns `nil` at the end and on failure; the reader's status distinguishes them.
  public func copyNextSampleBuffer() -> SampleBuffer? {
    guard let reader, reader.status == .reading,
      let source = lock.locked({ hasEnded ? nil : source })
    else { return nil }
    do throws(MediaError) {
      if let sample = try source.next() { return reader.status == .reading ? sample : nil }
      lock.locked { hasEnded = true }
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
      lock.locked({ hasEnded && !isFinal })
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
    let fresh = try open(ranges, threads: reader.threads)
    lock.locked {
      source = fresh
      hasEnded = false
    }
  }

  /// Declares that no other ranges will be read, so that the reader can complete.
  public func markConfigurationAsFinal() {
    lock.locked { isFinal = true }
    reader?.outputEnded()
  }

  /// `true` if the reader need not wait for the output.
  var isDone: Bool { lock.locked { hasEnded && (isFinal || !settings.randomAccess) } }

  func start(_ range: TimeRange, threads: Int) throws(MediaError) {
    lock.locked { isFixed = true }
    let fresh = try open([range], threads: threads)
    lock.locked { source = fresh }
  }

  func abandon() { lock.locked { source }?.abandon() }

  /// Faults of the files that have been skipped so far.
  var faults: [SourceFault] { lock.locked { source }?.faults ?? [] }
}

/// A source of samples in sequence.
protocol SampleSource: AnyObject, Sendable {
  /// Returns the next sample, or `nil` at the end; blocks until there is one.
  func next() throws(MediaError) -> SampleBuffer?
  /// Makes `next` throw `cancelled` from now on; any thread.
  func abandon()
  var faults: [SourceFault] { get }
}

extension TrackStream: SampleSource {}
