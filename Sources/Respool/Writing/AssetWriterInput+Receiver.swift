import Dispatch
public import RespoolMedia

extension AssetWriterInput {
  /// Appends samples to an input from a task; one task at a time may append.
  public struct SampleBufferReceiver: Sendable {
    let input: AssetWriterInput
    let writer: AssetWriter
    let gate: TaskGate
    let request: MediaDataRequest

    /// Appends a sample as soon as the input is ready; the task is suspended until then.
    ///
    /// Throws the writer's error if it has failed, `cancelled` if the writer or the task was cancelled, and
    /// `invalidArgument` if the input takes no more.
    public func append(_ sample: SampleBuffer) async throws(MediaError) {
      try await append { [input] in input.append(sample) }
    }

    /// Calls `append` as soon as the input is ready; `append` returns `false` if the writer has failed.
    func append(_ append: () -> Bool) async throws(MediaError) {
      while !input.isReadyForMoreMediaData {
        try check()
        await gate.wait { request.wake() }
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

    /// Marks the input as finished: no more samples will come.
    public func finish() { input.markAsFinished() }

    /// Throws if the input will never become ready again.
    private func check() throws(MediaError) {
      if input.isFinished || writer.status.isFinal || writer.session.isOver { throw problem }
    }

    private var problem: MediaError {
      if let error = writer.error { return error }
      if writer.status == .cancelled { return MediaError(.cancelled, "stopped") }
      return MediaError(
        .invalidArgument, "a sample was appended after its input was finished or the session ended")
    }
  }

  /// Appends frames to an input from a task, and provides a pool of pixel buffers to draw into.
  public struct PixelBufferReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputPixelBufferAdaptor

    /// Pool of pixel buffers; `nil` without attributes, and until writing has begun.
    public var pixelBufferPool: PixelBufferPool? { adaptor.pixelBufferPool }

    /// Appends a frame that is shown from `time` until the next one, as ``SampleBufferReceiver`` does.
    ///
    /// Do not write to the pixel buffer afterwards.
    public func append(_ pixelBuffer: PixelBuffer, with time: MediaTime) async throws(MediaError) {
      try await receiver.append(SampleBuffer(pixelBuffer, at: time))
    }

    /// Appends a frame if the input is ready, else returns `false`.
    public func appendImmediately(_ pixelBuffer: PixelBuffer, with time: MediaTime)
      throws(MediaError)
      -> Bool
    {
      try receiver.appendImmediately(SampleBuffer(pixelBuffer, at: time))
    }

    /// Marks the input as finished: no more frames will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input and returns a receiver through which a task appends samples.
  ///
  /// Throws `invalidArgument` if `canAdd` is `false` or the input's media data is already requested.
  public func inputReceiver(for input: AssetWriterInput) throws(MediaError)
    -> AssetWriterInput.SampleBufferReceiver
  {
    try add(input)
    let gate = TaskGate()
    let request = MediaDataRequest(
      input, on: DispatchQueue(label: "respool.receiver"),
      block: gate.opener { [weak input] in input?.isReadyForMoreMediaData ?? true })
    guard input.take(request) else {
      throw MediaError(.invalidArgument, "media data of the input has already been requested")
    }
    return AssetWriterInput.SampleBufferReceiver(
      input: input, writer: self, gate: gate, request: request)
  }

  /// Adds an input and returns a receiver through which a task appends frames.
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

  /// Creates the file and starts writing.
  ///
  /// Throws the reason if that is not possible, and `invalidArgument` if writing has already begun.
  public func start() throws(MediaError) {
    guard !startWriting() else { return }
    throw error ?? MediaError(.invalidArgument, "a writer can start only once")
  }
}
