public import RespoolMedia

/// Appends groups of timed metadata to an input.
///
/// An input has at most one adaptor. The input's format hint lists the identifier, data type and language of
/// every item that will be appended. The rules of ``AssetWriterInput/append(_:)`` apply.
public final class AssetWriterInputMetadataAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput
  private let coding: Result<TimedMetadataCoding, MediaError>

  public init(assetWriterInput: AssetWriterInput) {
    self.assetWriterInput = assetWriterInput
    coding = Result { () throws(MediaError) in
      guard let hint = assetWriterInput.sourceFormatHint else {
        throw MediaError(
          .invalidArgument, "an input of metadata needs a format hint that names the keys")
      }
      return try TimedMetadataCoding(hint)
    }
  }

  /// Appends a group, which applies during its time range, or until the next group if it has no duration.
  ///
  /// Between groups no metadata applies. A group without items need not be appended, but it ends a group without
  /// a duration. Returns `false` if that fails, such as for an item that is not in the format hint; the writer's
  /// `error` gives the reason.
  @discardableResult public func append(_ group: TimedMetadataGroup) -> Bool {
    do throws(MediaError) {
      return assetWriterInput.append(try sample(of: group))
    } catch { return false }
  }

  /// Returns the sample for a group; if the group does not match the format hint, throws and fails the writer.
  func sample(of group: TimedMetadataGroup) throws(MediaError) -> SampleBuffer {
    do throws(MediaError) {
      return try coding.get().sample(of: group)
    } catch {
      assetWriterInput.writer?.fail(error)
      throw error
    }
  }
}

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
