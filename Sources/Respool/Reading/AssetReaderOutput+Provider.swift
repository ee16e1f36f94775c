public import RespoolMedia

extension AssetReaderOutput {
  /// Provides an output's samples to a task; only one task may call it at a time.
  public struct Provider: Sendable {
    let output: AssetReaderOutput
    let reader: AssetReader

    /// Returns the next sample, or `nil` at the end.
    ///
    /// Does not block a thread of the cooperative pool. Cancelling the task cancels the reader. Throws the
    /// error that the reader failed with, or `cancelled` if it was cancelled.
    public func next() async throws(MediaError) -> SampleBuffer? {
      let output = output
      return try await next { output.copyNextSampleBuffer() }
    }

    /// Returns the result of `read`, which blocks and ends like the output.
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
        throw MediaError(.invalidArgument, "a sample was requested before reading started")
      case .reading, .completed: return nil
      }
    }
  }
}

extension AssetReader {
  /// Adds an output and returns a provider of its samples for a task.
  ///
  /// Throws `invalidArgument` if `canAdd` is false.
  public func outputProvider(for output: AssetReaderOutput) throws(MediaError)
    -> AssetReaderOutput.Provider
  {
    try add(output)
    return AssetReaderOutput.Provider(output: output, reader: self)
  }

  /// Opens files and decoders and begins to read ahead.
  ///
  /// Throws the reason if that fails, and `invalidArgument` if reading has started before.
  public func start() throws(MediaError) {
    guard !startReading() else { return }
    throw error ?? MediaError(.invalidArgument, "a reader can start only once")
  }
}
