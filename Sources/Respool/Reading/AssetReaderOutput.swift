public import RespoolMedia

/// What a reader gives: the samples of a track, of several mixed, or of several composed.
///
/// Set it up, add it to a reader, then take samples from one thread at a time.
// Sendable: settings are fixed when reading starts; what follows is behind the lock.
public class AssetReaderOutput: @unchecked Sendable {
  public let mediaType: MediaType
  let lock = Monitor()
  weak var reader: AssetReader?
  private var settings = (copies: true, randomAccess: false)
  private var isFixed = false
  private var isFinal = false
  private var source: (any SampleSource)?
  /// The source has given nil.
  private(set) var hasEnded = false

  init(mediaType: MediaType) { self.mediaType = mediaType }

  /// Whether samples have memory of their own, which may be written to; true unless set.
  ///
  /// Where it is false, nothing is copied and nothing may be changed: a decoder may need it still. Has no
  /// effect once reading has started.
  public var alwaysCopiesSampleData: Bool {
    get { lock.locked { settings.copies } }
    set { lock.locked { if !isFixed { settings.copies = newValue } } }
  }

  /// Whether other time ranges can be read after the first; false unless set.
  ///
  /// Has no effect once reading has started.
  public var supportsRandomAccess: Bool {
    get { lock.locked { settings.randomAccess } }
    set { lock.locked { if !isFixed { settings.randomAccess = newValue } } }
  }

  /// Whether a reader has read with it, which may be gone.
  var hasStarted: Bool { lock.locked { isFixed } }

  /// The tracks that have to be the asset's.
  var tracks: [AssetTrack] { [] }

  /// What gives the samples of `ranges`; overridden.
  func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    throw MediaError(.internal, "an output of no kind")
  }

  /// The next sample; blocks until it is there.
  ///
  /// Nil at the end and on failure: the reader's status tells which.
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

  /// Reads `ranges` from now on.
  ///
  /// Only where random access is supported, after `copyNextSampleBuffer` has given nil, while the reader
  /// reads and the configuration is not final. The ranges have to be numeric, grow and not overlap. Throws
  /// `invalidArgument` where one of these does not hold.
  public func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
    guard supportsRandomAccess, let reader, reader.status == .reading,
      lock.locked({ hasEnded && !isFinal })
    else {
      throw MediaError(
        .invalidArgument,
        "an output is only read anew when it supports random access, has been read to its end, and is "
          + "not final")
    }
    var end: MediaTime?
    for range in ranges {
      guard range.isValid, range.start.isNumeric, !range.isEmpty,
        end.map({ range.start >= $0 }) ?? true
      else {
        throw MediaError(.invalidArgument, "time ranges to be read have to grow and not overlap")
      }
      end = range.end
    }
    let fresh = try open(ranges, threads: reader.threads)
    lock.locked {
      source = fresh
      hasEnded = false
    }
  }

  /// No other ranges will be asked for, so that the reader can complete.
  public func markConfigurationAsFinal() {
    lock.locked { isFinal = true }
    reader?.outputEnded()
  }

  /// Whether the reader need not wait for it.
  var isDone: Bool { lock.locked { hasEnded && (isFinal || !settings.randomAccess) } }

  func start(_ range: TimeRange, threads: Int) throws(MediaError) {
    lock.locked { isFixed = true }
    let fresh = try open([range], threads: threads)
    lock.locked { source = fresh }
  }

  func abandon() { lock.locked { source }?.abandon() }

  /// Faults of the files that have been passed over so far.
  var faults: [SourceFault] { lock.locked { source }?.faults ?? [] }
}

/// Gives samples, one after the other.
protocol SampleSource: AnyObject, Sendable {
  /// The next sample; blocks, nil at the end.
  func next() throws(MediaError) -> SampleBuffer?
  /// From any thread: `next` throws `cancelled` from now on.
  func abandon()
  var faults: [SourceFault] { get }
}

extension TrackStream: SampleSource {}
