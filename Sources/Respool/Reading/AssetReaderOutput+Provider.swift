public import RespoolMedia

extension AssetReaderOutput {
  /// Gives an output's samples to a task; one task at a time asks.
  public struct Provider: Sendable {
    let output: AssetReaderOutput
    let reader: AssetReader

    /// The next sample, or nil at the end.
    ///
    /// The task waits, no thread of Swift's does. Throws what the reader failed of, and `cancelled` where it was cancelled. Cancelling the task cancels
    /// the reader.
    public func next() async throws(MediaError) -> SampleBuffer? {
      let output = output
      return try await next { output.copyNextSampleBuffer() }
    }

    /// The same for what `read` gives, which blocks and ends as the output does.
    func next<Payload: Sendable>(_ read: @escaping @Sendable () -> Payload?)
      async
      throws(MediaError) -> Payload?
    {
      let reader = reader
      let result: Result<Payload?, MediaError> = await withTaskCancellationHandler {
        do throws(MediaError) {
          return .success(
            try await PlainThread.result("read") { () throws(MediaError) in read() })
        } catch { return .failure(error) }
      } onCancel: {
        reader.cancelReading()
      }
      if let payload = try result.get() { return payload }
      switch reader.status {
      case .failed: throw reader.error ?? MediaError(.internal, "reading failed without a reason")
      case .cancelled: throw MediaError(.cancelled, "stopped")
      case .unknown:
        throw MediaError(.invalidArgument, "a sample was asked for before reading has started")
      case .reading, .completed: return nil
      }
    }
  }
}

extension AssetReader {
  /// Adds an output and gives what a task takes its samples from.
  ///
  /// Throws `invalidArgument` where `canAdd` is false.
  public func outputProvider(for output: AssetReaderOutput) throws(MediaError)
    -> AssetReaderOutput.Provider
  {
    try add(output)
    return AssetReaderOutput.Provider(output: output, reader: self)
  }

  /// Opens files and decoders and begins to read ahead.
  ///
  /// Throws why that is not possible, and `invalidArgument` where reading has begun before.
  public func start() throws(MediaError) {
    guard !startReading() else { return }
    throw error ?? MediaError(.invalidArgument, "a reader starts once")
  }
}
