import RespoolMedia

/// Appends groups of timed metadata to an input.
///
/// An input has at most one adaptor. The input's format hint lists the identifier, data type and language of
/// every item that will be appended. The rules of ``AssetWriterInput/append(_:)`` apply.
public final class AssetWriterInputMetadataAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput
  private let coding: Result<TimedMetadataCoding, MediaError>

  public init(assetWriterInput: AssetWriterInput) {
    self.assetWriterInput = assetWriterInput
    guard let hint = assetWriterInput.sourceFormatHint else {
      coding = .failure(
        MediaError(
          .invalidArgument, "an input of metadata needs a format hint that names the keys"))
      return
    }
    do throws(MediaError) {
      coding = .success(try TimedMetadataCoding(hint))
    } catch { coding = .failure(error) }
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
