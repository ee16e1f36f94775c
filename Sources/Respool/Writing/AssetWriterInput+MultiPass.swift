import Dispatch
public import RespoolMedia

extension AssetWriterInput {
  /// Tells which samples a receiver is to be given in each pass.
  public struct MultiPassController: Sendable {
    let input: AssetWriterInput
    let writer: AssetWriter

    /// The passes, to be gone through once; nil where the encoder makes do with one.
    ///
    /// Where it is nil, all samples are appended once. Else those of each pass's ranges are appended before
    /// the next is asked for. Either way the receiver's `finish` comes last.
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

      /// The next pass; nil when none is left, the writer has ended, or the task is cancelled.
      ///
      /// Waits until writing has begun. Asking for the next pass finishes the one before.
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
  /// Adds an input, to be encoded in several passes where its encoder can, and gives what a task hands its
  /// samples to and what tells of the passes.
  ///
  /// Throws as `inputReceiver` does.
  public func inputReceiverRequestingMultiPass(for input: AssetWriterInput) throws(MediaError)
    -> (AssetWriterInput.SampleBufferReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputReceiver(for: input), requestMultiPass(for: input))
  }

  /// The same for an input of pictures.
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

  /// The same for an input of timed metadata, which is not encoded: no passes are told, and groups are
  /// appended once.
  ///
  /// Throws as `inputReceiver` does.
  public func inputMetadataReceiverRequestingMultiPass(for input: AssetWriterInput)
    throws(MediaError)
    -> (AssetWriterInput.MetadataReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputMetadataReceiver(for: input), requestMultiPass(for: input))
  }

  /// The same for an input of captions, which is not encoded: no passes are told, and captions are appended
  /// once.
  ///
  /// Throws as `inputReceiver` does.
  public func inputCaptionReceiverRequestingMultiPass(for input: AssetWriterInput)
    throws(MediaError)
    -> (AssetWriterInput.CaptionReceiver, AssetWriterInput.MultiPassController)
  {
    (try inputCaptionReceiver(for: input), requestMultiPass(for: input))
  }

  private func requestMultiPass(for input: AssetWriterInput) -> AssetWriterInput.MultiPassController
  {
    input.performsMultiPassEncodingIfSupported = true
    // The receiver waits by the same request in all passes.
    input.passes { $0.keepsRequest = true }
    return AssetWriterInput.MultiPassController(input: input, writer: self)
  }
}
