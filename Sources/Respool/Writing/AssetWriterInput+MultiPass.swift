public import Dispatch
public import RespoolMedia

/// One pass over the samples of an input; with two passes, the encoder uses statistics of the first in the second.
public struct PassDescription: Hashable, Sendable {
  /// Time ranges of the samples to append in this pass, in the order in which to append them.
  public let sourceTimeRanges: [TimeRange]
}

extension AssetWriterInput {
  /// `true` if the input is to be encoded in several passes, if its encoder supports that.
  ///
  /// `false` by default. `canPerformMultiplePasses` states whether it will be.
  public var performsMultiPassEncodingIfSupported: Bool {
    get { configuration.wantsMultiplePasses }
    set { configuration.wantsMultiplePasses = newValue }
  }

  /// `true` if samples will be requested twice: several passes are enabled, there is a bit rate, which they distribute
  /// better, and the encoder supports them.
  ///
  /// `false` before the input is added to a writer. There is only one pass if it is `false`, or if no block
  /// responds to passes when the first sample arrives.
  public var canPerformMultiplePasses: Bool {
    guard performsMultiPassEncodingIfSupported, let writer, let settings,
      settings.video?.bitRate != nil
    else { return false }
    return writer.registry.encoder(for: settings)?.description.flags.contains(.twoPasses) ?? false
  }

  /// Current pass; `nil` before writing begins and when no pass is left.
  public var currentPassDescription: PassDescription? { passes.current }

  /// Calls `block` when each pass begins, and when none is left.
  ///
  /// The block runs on `queue`, which must be serial. It reads `currentPassDescription`. If that is a pass, it
  /// appends the samples of its time ranges and calls `markCurrentPassAsFinished`. If that is `nil`, it calls
  /// `markAsFinished`. Call this once for an input, before or after writing begins: a second call fails the
  /// writer. Within the block, `requestMediaDataWhenReady` may be called for the samples of the pass.
  public func respondToEachPassDescription(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    guard !passes.setClient(block, on: queue) else { return }
    writer?.fail(
      MediaError(
        .invalidArgument, "respondToEachPassDescription can be called only once for an input"))
  }

  /// Marks the current pass as finished: all its samples have been appended.
  ///
  /// The block is then called for the next step. Calling it without a pass does nothing.
  public func markCurrentPassAsFinished() {
    guard passes.current != nil else { return }
    if !configuration.keepsRequest { dropRequest() }
    if passes.appendsFirst, let pipeline { pipeline.finishFirstPass() } else { passes.finishLast() }
  }

  /// Provides the time ranges of the samples that each pass needs.
  public struct MultiPassController: Sendable {
    let input: AssetWriterInput
    let writer: AssetWriter

    /// Passes over the input's samples, to be iterated once.
    ///
    /// `nil` if the encoder needs only one pass. If it is `nil`, append all samples once. Otherwise append the
    /// samples of each pass's time ranges before asking for the next pass. In both cases call the receiver's
    /// `finish` last.
    public var passDescriptions: PassDescriptions? {
      input.canPerformMultiplePasses ? PassDescriptions(input: input, writer: writer) : nil
    }
  }

  /// The passes over an input's samples.
  public struct PassDescriptions: AsyncSequence, Sendable {
    public typealias Element = PassDescription
    public typealias Failure = Never

    let input: AssetWriterInput
    let writer: AssetWriter

    public func makeAsyncIterator() -> Iterator { Iterator(input: input, writer: writer) }

    /// Iterator over the passes.
    public struct Iterator: AsyncIteratorProtocol {
      public typealias Failure = Never

      let input: AssetWriterInput
      let writer: AssetWriter
      private let gate = TaskGate()
      fileprivate var isInPass = false

      /// Returns the next pass; `nil` if none is left, the writer has ended, or the task is cancelled.
      ///
      /// Waits until writing has begun. Asking for the next pass finishes the previous one.
      public mutating func next() async -> PassDescription? {
        guard !Task.isCancelled else { return nil }
        if isInPass {
          input.markCurrentPassAsFinished()
        } else {
          input.respondToEachPassDescription(
            on: DispatchQueue(label: "respool.passes"), using: gate.opener())
        }
        isInPass = true
        while !input.passes.isDue, !Task.isCancelled {
          await gate.wait { if input.passes.isDue { gate.open() } }
        }
        return Task.isCancelled ? nil : input.currentPassDescription
      }
    }
  }
}

extension AssetWriter {
  /// Adds an input and returns a receiver for its samples and a controller for its passes.
  ///
  /// The input is encoded in several passes if its encoder supports that. Throws as `inputReceiver` does.
  public func inputReceiverRequestingMultiPass(for input: AssetWriterInput) throws(MediaError)
    -> (AssetWriterInput.SampleBufferReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputReceiver(for: input), requestMultiPass(for: input))
  }

  /// Adds a video input and returns a receiver for its frames and a controller for its passes.
  ///
  /// Throws as `inputReceiver` does.
  public func inputPixelBufferReceiverRequestingMultiPass(
    for input: AssetWriterInput, pixelBufferAttributes: PixelBufferAttributes? = nil
  ) throws(MediaError)
    -> (AssetWriterInput.PixelBufferReceiver, AssetWriterInput.MultiPassController)
  {
    (
      try inputPixelBufferReceiver(for: input, pixelBufferAttributes: pixelBufferAttributes),
      requestMultiPass(for: input)
    )
  }

  /// Adds an input of timed metadata and returns a receiver for its groups and a controller.
  ///
  /// Metadata is not encoded: the controller has no passes, and groups are appended once. Throws as
  /// `inputReceiver` does.
  public func inputMetadataReceiverRequestingMultiPass(for input: AssetWriterInput)
    throws(MediaError)
    -> (AssetWriterInput.MetadataReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputMetadataReceiver(for: input), requestMultiPass(for: input))
  }

  /// Adds an input of captions and returns a receiver for its captions and a controller.
  ///
  /// Captions are not encoded: the controller has no passes, and captions are appended once. Throws as
  /// `inputReceiver` does.
  public func inputCaptionReceiverRequestingMultiPass(for input: AssetWriterInput)
    throws(MediaError)
    -> (AssetWriterInput.CaptionReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputCaptionReceiver(for: input), requestMultiPass(for: input))
  }

  private func requestMultiPass(for input: AssetWriterInput) -> AssetWriterInput.MultiPassController
  {
    input.performsMultiPassEncodingIfSupported = true
    // The receiver uses one request of media data in all passes.
    input.configuration.keepsRequest = true
    return AssetWriterInput.MultiPassController(input: input, writer: self)
  }
}
