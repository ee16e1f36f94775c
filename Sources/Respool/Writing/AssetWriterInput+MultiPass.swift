import Dispatch
public import RespoolMedia

extension AssetWriterInput {
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
      private var isInPass = false

      init(input: AssetWriterInput, writer: AssetWriter) {
        self.input = input
        self.writer = writer
      }

      /// Returns the next pass; `nil` if none is left, the writer has ended, or the task is cancelled.
      ///
      /// Waits until writing has begun. Asking for the next pass finishes the previous one.
      public mutating func next() async -> PassDescription? {
        guard !Task.isCancelled else { return nil }
        if isInPass { input.markCurrentPassAsFinished() } else { await begin() }
        isInPass = true
        return Task.isCancelled ? nil : input.currentPassDescription
      }

      private func begin() async {
        let (gate, input) = (gate, input)
        input.respondToEachPassDescription(
          on: DispatchQueue(label: "respool.passes"), using: gate.opener())
        while !input.hasPassOrNoneIsLeft, !Task.isCancelled {
          await withTaskCancellationHandler {
            await gate.wait { if input.hasPassOrNoneIsLeft { gate.open() } }
          } onCancel: {
            gate.open()
          }
        }
      }

    }
  }

  private var hasPassOrNoneIsLeft: Bool { passes { $0.current != nil || $0.isOver } }
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
    input.passes { $0.keepsRequest = true }
    return AssetWriterInput.MultiPassController(input: input, writer: self)
  }
}
