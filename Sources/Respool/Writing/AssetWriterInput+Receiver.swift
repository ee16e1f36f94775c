public import RespoolMedia

extension AssetWriterInput {
  /// Takes samples for an input from a task; one task at a time appends.
  public struct SampleBufferReceiver: Sendable {
    let input: AssetWriterInput
    let writer: AssetWriter
    let gate: ReadinessGate

    /// Appends a sample as soon as the input is ready; the task is suspended until then.
    ///
    /// Throws the writer's error if it has failed, `cancelled` if the writer or the task was cancelled, and
    /// `invalidArgument` if the input takes no more.
    public func append(_ sample: SampleBuffer) async throws(MediaError) {
      let input = input
      try await append { input.append(sample) }
    }

    /// Calls `append` as soon as the input is ready; `append` returns `false` if the writer has failed.
    func append(_ append: () -> Bool) async throws(MediaError) {
      while !input.isReadyForMoreMediaData {
        try check()
        await withTaskCancellationHandler {
          await gate.wait()
        } onCancel: {
          gate.open()
        }
        if Task.isCancelled { throw MediaError(.cancelled, "stopped") }
      }
      guard append() else { throw problem }
    }

    /// Appends a sample if the input is ready, else returns `false`.
    ///
    /// Throws as `append` does.
    public func appendImmediately(_ sample: SampleBuffer) throws(MediaError) -> Bool {
      try appendImmediately { input.append(sample) }
    }

    func appendImmediately(_ append: () -> Bool) throws(MediaError) -> Bool {
      guard input.isReadyForMoreMediaData else {
        try check()
        return false
      }
      guard append() else { throw problem }
      return true
    }

    /// No more samples will come.
    public func finish() { input.markAsFinished() }

    /// Throws where the input will not become ready any more.
    private func check() throws(MediaError) {
      if input.isFinished || writer.hasEnded || writer.isSessionOver { throw problem }
    }

    private var problem: MediaError {
      if let error = writer.error { return error }
      if writer.status == .cancelled { return MediaError(.cancelled, "stopped") }
      return MediaError(
        .invalidArgument, "a sample came after its input was finished or the session has ended")
    }
  }

  /// Takes pictures for an input from a task, and lends pictures to draw into.
  public struct PixelBufferReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputPixelBufferAdaptor

    /// Nil without attributes, and until writing has begun.
    public var pixelBufferPool: PixelBufferPool? { adaptor.pixelBufferPool }

    /// Writes a picture that is shown from `time` until the next one, as `SampleBufferReceiver` does.
    ///
    /// The picture may not be written to afterwards.
    public func append(_ picture: PixelBuffer, with time: MediaTime) async throws(MediaError) {
      try await receiver.append(SampleBuffer(picture, at: time))
    }

    /// Writes a picture where the input can take it now; false where it cannot.
    public func appendImmediately(_ picture: PixelBuffer, with time: MediaTime) throws(MediaError)
      -> Bool
    {
      try receiver.appendImmediately(SampleBuffer(picture, at: time))
    }

    /// No more pictures will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input and gives what a task hands its samples to.
  ///
  /// Throws `invalidArgument` where `canAdd` is false or the input's media data is requested already.
  public func inputReceiver(for input: AssetWriterInput) throws(MediaError)
    -> AssetWriterInput.SampleBufferReceiver
  {
    try add(input)
    let gate = ReadinessGate()
    guard gate.watch(input) else {
      throw MediaError(.invalidArgument, "media data of the input is requested already")
    }
    return AssetWriterInput.SampleBufferReceiver(input: input, writer: self, gate: gate)
  }

  /// Adds an input and gives what a task hands its pictures to.
  ///
  /// Throws as `inputReceiver` does.
  public func inputPixelBufferReceiver(
    for input: AssetWriterInput, pixelBufferAttributes: PixelBufferAttributes? = nil
  ) throws(MediaError) -> AssetWriterInput.PixelBufferReceiver {
    AssetWriterInput.PixelBufferReceiver(
      receiver: try inputReceiver(for: input),
      adaptor: AssetWriterInputPixelBufferAdaptor(
        assetWriterInput: input, sourcePixelBufferAttributes: pixelBufferAttributes))
  }

  /// Creates the file.
  ///
  /// Throws why that is not possible, and `invalidArgument` where writing has begun before.
  public func start() throws(MediaError) {
    guard !startWriting() else { return }
    throw error ?? MediaError(.invalidArgument, "a writer starts once")
  }

  var isSessionOver: Bool { lock.locked { state.sessionEnd != nil } }
}
