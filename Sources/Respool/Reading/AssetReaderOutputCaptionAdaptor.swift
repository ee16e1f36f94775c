public import RespoolMedia
import Synchronization

/// Reads the samples of a text track as captions.
///
/// Create it for an output without settings that is added to a reader, start the reader, and take groups from
/// one thread at a time. The adaptor takes the output's samples, so do not take them elsewhere.
public final class AssetReaderOutputCaptionAdaptor: Sendable {
  private struct State {
    weak var delegate: (any AssetReaderCaptionValidationHandling)?
    var reader = CaptionTrackReader()
    var format: (description: FormatDescription, format: CaptionFormat)?
    /// `nil` before the first sample and after the last.
    var grouper: CaptionGrouper?
    var groups: [CaptionGroup] = []
    /// Start of the first group.
    var firstStart: MediaTime?

    mutating func takeGroup() -> CaptionGroup? { groups.isEmpty ? nil : groups.removeFirst() }

    mutating func add(_ readings: [CaptionReading], upTo time: MediaTime, in range: TimeRange) {
      for reading in readings { grouper?.add(reading.caption) }
      groups += (grouper?.flushAddedCaptions(upTo: time) ?? []).compactMap { group in
        guard range.duration.isNumeric, group.timeRange.end > range.end else { return group }
        guard group.timeRange.start < range.end else { return nil }
        return CaptionGroup(
          captions: group.captions,
          timeRange: TimeRange(start: group.timeRange.start, end: range.end))
      }
    }
  }

  public let assetReaderTrackOutput: AssetReaderTrackOutput
  private let state = Mutex(State())

  public init(assetReaderTrackOutput: AssetReaderTrackOutput) {
    self.assetReaderTrackOutput = assetReaderTrackOutput
  }

  /// Delegate that is called for syntax elements that are skipped while captions are read; weak.
  public weak var validationDelegate: (any AssetReaderCaptionValidationHandling)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// Returns the next group; blocks until there is one.
  ///
  /// The first group begins at the start of the reader's time range, the last ends with the last caption.
  /// Returns `nil` at the end and on failure; the reader's status distinguishes them. The reader fails with
  /// `unsupported` if the track is not a text track.
  public func nextCaptionGroup() -> CaptionGroup? {
    while true {
      if let group = state.withLock({ $0.takeGroup() }) { return group }
      if let sample = assetReaderTrackOutput.copyNextSampleBuffer() {
        reportSkipped(state.withLock { take(sample, &$0) })
      } else if isAtEnd {
        reportSkipped(state.withLock { finish(&$0) })
        return state.withLock { $0.takeGroup() }
      } else {
        return nil
      }
    }
  }

  private func reportSkipped(_ readings: [CaptionReading]) {
    let delegate = validationDelegate
    for reading in readings where !reading.skipped.isEmpty {
      delegate?.captionAdaptor(
        self, didVendCaption: reading.caption,
        skippingUnsupportedSourceSyntaxElements: reading.skipped)
    }
  }

  /// `true` if the absence of a sample means that all samples have been read.
  private var isAtEnd: Bool {
    switch assetReaderTrackOutput.reader?.status {
    case .reading, .completed: true
    default: false
    }
  }

  /// Returns the captions that begin with the group: no earlier group has them.
  public func captionsNotPresentInPreviousGroups(in captionGroup: CaptionGroup) -> [Caption] {
    let start = captionGroup.timeRange.start
    // If reading begins in the middle, the captions of the first group may have begun before.
    let isFirst = state.withLock { $0.firstStart } == start
    return captionGroup.captions.filter { isFirst || $0.timeRange.start >= start }
  }

  private var range: TimeRange {
    assetReaderTrackOutput.reader?.timeRange ?? AssetReader.everything
  }

  private func take(_ sample: SampleBuffer, _ state: inout State) -> [CaptionReading] {
    let range = range
    let start = sample.presentationTimeStamp
    if state.grouper == nil {
      // A range that is read later begins with its first caption.
      let first = state.firstStart == nil ? range.start : start
      state.firstStart = first
      state.grouper = CaptionGrouper(startingAt: first)
    }
    guard let format = format(of: sample, &state), start.isNumeric,
      !range.duration.isNumeric || start < range.end
    else { return [] }
    var bytes: [UInt8] = []
    var sideData: [UInt8] = []
    if case .packet(let packet) = sample.content {
      bytes = packet.buffer.map { Array($0.readOnly) } ?? []
      sideData = packet.sideData
    }
    let readings = state.reader.read(
      bytes, sideData: sideData, as: format,
      over: TimeRange(start: start, duration: sample.duration))
    state.add(readings, upTo: start, in: range)
    return readings
  }

  private func finish(_ state: inout State) -> [CaptionReading] {
    let range = range
    let track = assetReaderTrackOutput.track.timeRange
    let end = range.duration.isNumeric ? min(range.end, track.end) : track.end
    let readings = state.reader.finish(at: end)
    state.add(readings, upTo: .positiveInfinity, in: range)
    (state.reader, state.grouper) = (CaptionTrackReader(), nil)
    return readings
  }

  private func format(of sample: SampleBuffer, _ state: inout State) -> CaptionFormat? {
    let description = sample.formatDescription
    if let known = state.format, known.description === description { return known.format }
    guard let new = CaptionFormat(description.track) else {
      assetReaderTrackOutput.reader?.fail(
        MediaError(
          .unsupported,
          "captions were requested of a \(description.codec) track, which is not text"))
      return nil
    }
    state.format = (description, new)
    return new
  }
}

/// Receives reports on captions that could not be read completely.
public protocol AssetReaderCaptionValidationHandling: AnyObject, Sendable {
  /// Reports a caption that was read without the parts of its source that a caption cannot hold.
  ///
  /// `syntaxElements` are the names of these parts in the source format. Called on the thread that requests
  /// groups.
  func captionAdaptor(
    _ adaptor: AssetReaderOutputCaptionAdaptor, didVendCaption caption: Caption,
    skippingUnsupportedSourceSyntaxElements syntaxElements: [String])
}

extension AssetReaderCaptionValidationHandling {
  public func captionAdaptor(
    _ adaptor: AssetReaderOutputCaptionAdaptor, didVendCaption caption: Caption,
    skippingUnsupportedSourceSyntaxElements syntaxElements: [String]
  ) {}
}

extension AssetReaderOutput {
  /// Provides the captions of a text track to a task; only one task may call it at a time.
  public struct CaptionProvider: Sendable {
    let adaptor: AssetReaderOutputCaptionAdaptor
    let provider: Provider
    /// Kept here because the adaptor's reference is weak.
    let validationDelegate: (any AssetReaderCaptionValidationHandling)?

    /// Returns the next group, or `nil` at the end.
    ///
    /// Does not block a thread of the cooperative pool. Errors and cancellation are those of ``Provider``.
    public func next() async throws(MediaError) -> CaptionGroup? {
      let adaptor = adaptor
      return try await provider.next { adaptor.nextCaptionGroup() }
    }

    /// Returns the captions that begin with the group: no earlier group has them.
    public func captionsNotPresentInPreviousGroups(in captionGroup: CaptionGroup) -> [Caption] {
      adaptor.captionsNotPresentInPreviousGroups(in: captionGroup)
    }
  }
}

extension AssetReader {
  /// Adds an output of a text track and returns a provider of its captions for a task.
  ///
  /// Throws `invalidArgument` if `canAdd` is false.
  public func outputCaptionProvider(
    for output: AssetReaderTrackOutput,
    validationDelegate: (any AssetReaderCaptionValidationHandling)? = nil
  ) throws(MediaError) -> AssetReaderOutput.CaptionProvider {
    let adaptor = AssetReaderOutputCaptionAdaptor(assetReaderTrackOutput: output)
    adaptor.validationDelegate = validationDelegate
    return AssetReaderOutput.CaptionProvider(
      adaptor: adaptor, provider: try outputProvider(for: output),
      validationDelegate: validationDelegate)
  }
}
