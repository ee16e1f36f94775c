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
    append { (captions: CaptionTrackWriter) throws(MediaError) in try captions.append(caption) }
  }

  /// Appends the captions of a group, which must not begin before the end of what was appended last.
  ///
  /// A caption that is also in the previous group is written once. A group with an invalid duration lasts until
  /// the next group; its captions may have invalid durations too. Returns `false` if that fails; the writer's
  /// `error` gives the reason.
  @discardableResult public func append(_ captionGroup: CaptionGroup) -> Bool {
    append { (captions: CaptionTrackWriter) throws(MediaError) in
      try captions.append(captionGroup)
    }
  }

  private func append(_ body: @Sendable (CaptionTrackWriter) throws(MediaError) -> Void) -> Bool {
    assetWriterInput.append { (intake: SampleIntake) throws(MediaError) in
      try intake.appendCaptions(body)
    }
  }
}

extension AssetWriterInput {
  /// Appends captions to an input from a task; one task at a time may append.
  public struct CaptionReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputCaptionAdaptor

    /// Appends a caption as soon as the input is ready, as ``SampleBufferReceiver`` does.
    public func append(_ caption: Caption) async throws(MediaError) {
      try await receiver.append { [adaptor] in adaptor.append(caption) }
    }

    /// Appends the captions of a group as soon as the input is ready.
    public func append(_ captionGroup: CaptionGroup) async throws(MediaError) {
      try await receiver.append { [adaptor] in adaptor.append(captionGroup) }
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
