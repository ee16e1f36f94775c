public import RespoolMedia

/// Appends captions to an input of media type `subtitle` that has no settings.
///
/// The input's format hint determines their coding: ``FormatDescription/init(subtitles:timeBase:)``. An input has
/// at most one adaptor. If captions overlap in a format that shows one at a time, they are shown below each
/// other.
public final class AssetWriterInputCaptionAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput

  public init(assetWriterInput: AssetWriterInput) { self.assetWriterInput = assetWriterInput }

  /// Appends a caption.
  ///
  /// Captions are appended in order of their start times. Returns `false` if that fails; the writer's `error`
  /// gives the reason. Anything shown before the session starts is left out.
  @discardableResult public func append(_ caption: Caption) -> Bool {
    assetWriterInput.append { (track: CaptionTrackWriter) throws(MediaError) in
      try track.append(caption)
    }
  }

  /// Appends the captions of a group, which must not begin before the end of what was appended last.
  ///
  /// A caption that is also in the previous group is written once. A group with an invalid duration lasts until
  /// the next group; its captions may have invalid durations too. Returns `false` if that fails; the writer's
  /// `error` gives the reason.
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

  /// Appends captions to an input from a task; one task at a time may append.
  public struct CaptionReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputCaptionAdaptor

    /// Appends a caption as soon as the input is ready, as ``SampleBufferReceiver`` does.
    public func append(_ caption: Caption) async throws(MediaError) {
      let adaptor = adaptor
      try await receiver.append { adaptor.append(caption) }
    }

    /// Appends the captions of a group as soon as the input is ready.
    public func append(_ captionGroup: CaptionGroup) async throws(MediaError) {
      let adaptor = adaptor
      try await receiver.append { adaptor.append(captionGroup) }
    }

    /// Appends a caption if the input is ready, else returns `false`.
    public func appendImmediately(_ caption: Caption) throws(MediaError) -> Bool {
      try receiver.appendImmediately { adaptor.append(caption) }
    }

    /// Appends the captions of a group if the input is ready, else returns `false`.
    public func appendImmediately(_ captionGroup: CaptionGroup) throws(MediaError) -> Bool {
      try receiver.appendImmediately { adaptor.append(captionGroup) }
    }

    /// Marks the input as finished: no more captions will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input and returns a receiver through which a task appends captions.
  ///
  /// Throws as `inputReceiver` does.
  public func inputCaptionReceiver(for input: AssetWriterInput) throws(MediaError)
    -> AssetWriterInput.CaptionReceiver
  {
    AssetWriterInput.CaptionReceiver(
      receiver: try inputReceiver(for: input),
      adaptor: AssetWriterInputCaptionAdaptor(assetWriterInput: input))
  }

  /// Returns the converter from captions to samples of an input; call with the input's `admission` held.
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
  /// Creates a description of a text codec, for the format hint of an input that takes captions.
  ///
  /// `mov_text` in MP4 and QuickTime, `subrip` or `webvtt` in Matroska, `webvtt` in WebM. Sample times are in
  /// units of `timeBase`.
  public convenience init(subtitles codec: String, timeBase: Rational = Rational(1, 1000)) {
    self.init(TrackDescription(kind: .subtitle, codec: codec, timeBase: timeBase))
  }
}
