public import RespoolMedia

extension AssetWriterInput {
  /// Appends groups of timed metadata to an input from a task; one task at a time may append.
  public struct MetadataReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputMetadataAdaptor

    /// Appends a group as soon as the input is ready, as ``AssetWriterInputMetadataAdaptor`` does.
    ///
    /// Does not block a thread of the cooperative pool. Throws as ``SampleBufferReceiver`` does. Throws
    /// `invalidArgument` for an item that is not in the format hint, which fails the writer.
    public func append(_ group: TimedMetadataGroup) async throws(MediaError) {
      try await receiver.append(try adaptor.sample(of: group))
    }

    /// Appends a group if the input is ready, else returns `false`.
    ///
    /// Throws as `append` does.
    public func appendImmediately(_ group: TimedMetadataGroup) throws(MediaError) -> Bool {
      try receiver.appendImmediately(try adaptor.sample(of: group))
    }

    /// Marks the input as finished: no more groups will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input of timed metadata and returns a receiver through which a task appends groups.
  ///
  /// Throws as `inputReceiver` does.
  public func inputMetadataReceiver(for input: AssetWriterInput) throws(MediaError)
    -> AssetWriterInput.MetadataReceiver
  {
    AssetWriterInput.MetadataReceiver(
      receiver: try inputReceiver(for: input),
      adaptor: AssetWriterInputMetadataAdaptor(assetWriterInput: input))
  }
}
