public import RespoolMedia

extension AssetWriterInput {
  /// Takes groups of timed metadata for an input from a task; one task at a time appends.
  public struct MetadataReceiver: Sendable {
    let receiver: SampleBufferReceiver
    let adaptor: AssetWriterInputMetadataAdaptor

    /// Writes a group when the input can take it, as `AssetWriterInputMetadataAdaptor` does.
    ///
    /// The task waits, no thread of Swift's does. Throws as `SampleBufferReceiver` does, and
    /// `invalidArgument` for an item that the format hint does not have, which fails the writer.
    public func append(_ group: TimedMetadataGroup) async throws(MediaError) {
      try await receiver.append(try adaptor.sample(of: group))
    }

    /// Writes a group where the input can take it now; false where it cannot.
    ///
    /// Throws as `append` does.
    public func appendImmediately(_ group: TimedMetadataGroup) throws(MediaError) -> Bool {
      try receiver.appendImmediately(try adaptor.sample(of: group))
    }

    /// No more groups will come.
    public func finish() { receiver.finish() }
  }
}

extension AssetWriter {
  /// Adds an input of timed metadata and gives what a task hands its groups to.
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
