public import RespoolMedia

/// Appends captions to an input of media type `subtitle` that has no settings.
///
/// The input's format hint says how they are coded: ``FormatDescription/init(subtitles:timeBase:)``. One to an
/// input. Where captions overlap in a format that shows one at a time, they are shown below each other.
public final class AssetWriterInputCaptionAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput

  public init(assetWriterInput: AssetWriterInput) { self.assetWriterInput = assetWriterInput }

  /// Writes a caption; captions come in the order of their starts.
  ///
  /// False where that fails: the writer's `error` tells why. What is shown before the session starts is left
  /// out.
  @discardableResult public func append(_ caption: Caption) -> Bool {
    assetWriterInput.append { (track: CaptionTrackWriter) throws(MediaError) in
      try track.append(caption)
    }
  }

  /// Writes the captions of a group, which does not begin before what was appended last ends.
  ///
  /// One that the last group had as well is written once. A group whose duration is invalid, as may be that of
  /// its captions, lasts until the next. False where that fails: the writer's `error` tells why.
  @discardableResult public func append(_ captionGroup: CaptionGroup) -> Bool {
    assetWriterInput.append { (track: CaptionTrackWriter) throws(MediaError) in
      try track.append(captionGroup)
    }
  }
}

extension AssetWriterInput {
  fileprivate func append(_ body: (CaptionTrackWriter) throws(MediaError) -> Void) -> Bool {
    guard let writer else { return false }
    return writer.admit(to: self) { (start: MediaTime) throws(MediaError) in
      try body(try writer.captionTrack(for: self, since: start))
    }
  }

  /// Takes captions for an input from a task; one task at a time appends.
  public struct CaptionReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputCaptionAdaptor

    /// Writes a caption when the input can take it, as `SampleBufferReceiver` does.
    public func append(_ caption: Caption) async throws(MediaError) {
      let adaptor = adaptor
      try await receiver.append { adaptor.append(caption) }
    }

    /// Writes the captions of a group when the input can take them.
    public func append(_ captionGroup: CaptionGroup) async throws(MediaError) {
      let adaptor = adaptor
      try await receiver.append { adaptor.append(captionGroup) }
    }

    /// Writes a caption where the input can take it now; false where it cannot.
    public func appendImmediately(_ caption: Caption) throws(MediaError) -> Bool {
      try receiver.appendImmediately { adaptor.append(caption) }
    }

    /// Writes the captions of a group where the input can take them now; false where it cannot.
    public func appendImmediately(_ captionGroup: CaptionGroup) throws(MediaError) -> Bool {
      try receiver.appendImmediately { adaptor.append(captionGroup) }
    }

    /// No more captions will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input and gives what a task hands its captions to.
  ///
  /// Throws as `inputReceiver` does.
  public func inputCaptionReceiver(for input: AssetWriterInput) throws(MediaError)
    -> AssetWriterInput.CaptionReceiver
  {
    AssetWriterInput.CaptionReceiver(
      receiver: try inputReceiver(for: input),
      adaptor: AssetWriterInputCaptionAdaptor(assetWriterInput: input))
  }

  /// Converts captions of an input to samples; with the input's `admission` held.
  fileprivate func captionTrack(for input: AssetWriterInput, since start: MediaTime)
    throws(MediaError) -> CaptionTrackWriter
  {
    if let track = input.captions { return track }
    guard input.settings == nil, let hint = input.sourceFormatHint,
      let format = CaptionFormat(hint.track), hint.codec != "ass", hint.codec != "ssa"
    else {
      throw MediaError(
        .invalidArgument,
        "captions need an input whose format hint is text: mov_text, subrip or webvtt")
    }
    let base = input.announcedTimeBase(of: hint.track)
    let track = CaptionTrackWriter(format, startingAt: start) {
      [unowned self, unowned input] (coded: CodedCaption) throws(MediaError) in
      guard let packet = coded.packet(in: base) else {
        throw MediaError(.invalidArgument, "a caption has no valid time")
      }
      let sample = SampleBuffer(
        .packet(packet), format: hint, timeBase: base,
        timing: SampleTiming(
          duration: coded.timeRange.duration, presentationTimeStamp: coded.timeRange.start))
      guard let accepted = AcceptedSample(sample) else { return }
      try accept(accepted, for: input, since: start)
    }
    input.captions = track
    return track
  }
}

extension FormatDescription {
  /// Text of a codec, as the hint of an input that takes captions.
  ///
  /// `mov_text` in MP4 and QuickTime, `subrip` or `webvtt` in Matroska, `webvtt` in WebM; times of samples are
  /// in `timeBase`.
  public convenience init(subtitles codec: String, timeBase: Rational = Rational(1, 1000)) {
    self.init(TrackDescription(kind: .subtitle, codec: codec, timeBase: timeBase))
  }
}
