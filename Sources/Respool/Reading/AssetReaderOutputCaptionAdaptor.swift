public import RespoolMedia

/// Gives the samples of a text track as captions.
///
/// Make it for an output without settings that is added to a reader, start the reader, and take groups from
/// one thread at a time; the output's own samples are taken by the adaptor.
// Sendable: what changes is behind the lock.
public final class AssetReaderOutputCaptionAdaptor: @unchecked Sendable {
  public let assetReaderTrackOutput: AssetReaderTrackOutput
  private let lock = Monitor()
  private weak var delegate: (any AssetReaderCaptionValidationHandling)?
  private var reader = CaptionTrackReader()
  private var format: (description: FormatDescription, format: CaptionFormat)?
  /// Nil before the first sample and behind the last.
  private var grouper: CaptionGrouper?
  private var groups: [CaptionGroup] = []
  /// Where the first group begins.
  private var firstStart: MediaTime?

  public init(assetReaderTrackOutput: AssetReaderTrackOutput) {
    self.assetReaderTrackOutput = assetReaderTrackOutput
  }

  /// Hears what is skipped while captions are read; not kept alive.
  public weak var validationDelegate: (any AssetReaderCaptionValidationHandling)? {
    get { lock.locked { delegate } }
    set { lock.locked { delegate = newValue } }
  }

  /// The next group; blocks until it is there.
  ///
  /// The first begins with the reader's time range, the last ends with the last caption. Nil at the end and on
  /// failure: the reader's status tells which. It fails with `unsupported` where the track is no text.
  public func nextCaptionGroup() -> CaptionGroup? {
    while true {
      if let group = lock.locked({ takeGroup() }) { return group }
      if let sample = assetReaderTrackOutput.copyNextSampleBuffer() {
        tell(lock.locked { take(sample) })
      } else if isAtEnd {
        tell(lock.locked { finish() })
        return lock.locked { takeGroup() }
      } else {
        return nil
      }
    }
  }

  private func tell(_ readings: [CaptionReading]) {
    let delegate = validationDelegate
    for reading in readings where !reading.skipped.isEmpty {
      delegate?.captionAdaptor(
        self, didVendCaption: reading.caption,
        skippingUnsupportedSourceSyntaxElements: reading.skipped)
    }
  }

  /// Whether no sample means that all have come.
  private var isAtEnd: Bool {
    switch assetReaderTrackOutput.reader?.status {
    case .reading, .completed: true
    default: false
    }
  }

  /// Those captions of a group that no group before it had: they begin with it.
  public func captionsNotPresentInPreviousGroups(in captionGroup: CaptionGroup) -> [Caption] {
    let start = captionGroup.timeRange.start
    // Where reading begins in the middle, the captions of the first group may have begun before.
    let isFirst = lock.locked { firstStart } == start
    return captionGroup.captions.filter { isFirst || $0.timeRange.start >= start }
  }

  private var range: TimeRange {
    assetReaderTrackOutput.reader?.timeRange ?? TimeRange(start: .zero, duration: .positiveInfinity)
  }

  private func takeGroup() -> CaptionGroup? { groups.isEmpty ? nil : groups.removeFirst() }

  /// Within the lock.
  private func take(_ sample: SampleBuffer) -> [CaptionReading] {
    let range = range
    let start = sample.presentationTimeStamp
    if grouper == nil {
      // Another range that is read begins with its first caption.
      let first = firstStart == nil ? range.start : start
      firstStart = first
      grouper = CaptionGrouper(startingAt: first)
    }
    guard let format = format(of: sample), start.isNumeric,
      !range.duration.isNumeric || start < range.end
    else { return [] }
    var bytes: [UInt8] = []
    var sideData: [UInt8] = []
    if case .packet(let packet) = sample.content {
      bytes = packet.buffer.map { Array($0.readOnly) } ?? []
      sideData = packet.sideData
    }
    let readings = reader.read(
      bytes, sideData: sideData, as: format,
      over: TimeRange(start: start, duration: sample.duration))
    add(readings, upTo: start, in: range)
    return readings
  }

  /// Within the lock.
  private func finish() -> [CaptionReading] {
    let range = range
    let track = assetReaderTrackOutput.track.timeRange
    let end = range.duration.isNumeric ? min(range.end, track.end) : track.end
    let readings = reader.finish(at: end)
    add(readings, upTo: .positiveInfinity, in: range)
    (reader, grouper) = (CaptionTrackReader(), nil)
    return readings
  }

  private func add(_ readings: [CaptionReading], upTo time: MediaTime, in range: TimeRange) {
    for reading in readings { grouper?.add(reading.caption) }
    groups += (grouper?.flushAddedCaptions(upTo: time) ?? []).compactMap { group in
      guard range.duration.isNumeric, group.timeRange.end > range.end else { return group }
      guard group.timeRange.start < range.end else { return nil }
      return CaptionGroup(
        captions: group.captions,
        timeRange: TimeRange(start: group.timeRange.start, end: range.end))
    }
  }

  private func format(of sample: SampleBuffer) -> CaptionFormat? {
    let description = sample.formatDescription
    if let format, format.description === description { return format.format }
    guard let fresh = CaptionFormat(description.track) else {
      assetReaderTrackOutput.reader?.fail(
        MediaError(.unsupported, "captions are asked of a track of \(description.codec): no text"))
      return nil
    }
    format = (description, fresh)
    return fresh
  }
}

/// Hears what is wrong with captions that are read.
public protocol AssetReaderCaptionValidationHandling: AnyObject, Sendable {
  /// A caption was read without parts of its source for which there is no place in it.
  ///
  /// `syntaxElements` are the parts' names in the format. Called on the thread that asks for groups.
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
  /// Gives the captions of a text track to a task; one task at a time asks.
  public struct CaptionProvider: Sendable {
    let adaptor: AssetReaderOutputCaptionAdaptor
    let provider: Provider
    /// An adaptor does not keep it alive.
    let validationDelegate: (any AssetReaderCaptionValidationHandling)?

    /// The next group, or nil at the end.
    ///
    /// The task waits, no thread of Swift's does. Throws and is cancelled as ``Provider`` is.
    public func next() async throws(MediaError) -> CaptionGroup? {
      let adaptor = adaptor
      return try await provider.next { adaptor.nextCaptionGroup() }
    }

    /// Those captions of a group that no group before it had.
    public func captionsNotPresentInPreviousGroups(in captionGroup: CaptionGroup) -> [Caption] {
      adaptor.captionsNotPresentInPreviousGroups(in: captionGroup)
    }
  }
}

extension AssetReader {
  /// Adds an output of a text track and gives what a task takes its captions from.
  ///
  /// Throws `invalidArgument` where `canAdd` is false.
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
