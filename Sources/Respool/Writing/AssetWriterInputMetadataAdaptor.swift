import RespoolMedia

/// Appends groups of timed metadata to an input.
///
/// One to an input, whose format hint has the form of every item that will be appended: its identifier, data
/// type and language. Its appending follows the input's rules.
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

  /// Writes a group, which holds for its time range, or until the next one where that has no duration.
  ///
  /// Between groups nothing holds: a group without items need not be appended, but ends one that has no
  /// duration. False where writing fails, such as for an item that the format hint does not have: the
  /// writer's `error` tells why.
  @discardableResult public func append(_ group: TimedMetadataGroup) -> Bool {
    do throws(MediaError) {
      return assetWriterInput.append(try sample(of: group))
    } catch { return false }
  }

  /// The sample that is written; throws, and fails the writer, where the group is not of the format.
  func sample(of group: TimedMetadataGroup) throws(MediaError) -> SampleBuffer {
    do throws(MediaError) {
      return try coding.get().sample(of: group)
    } catch {
      assetWriterInput.writer?.fail(error)
      throw error
    }
  }
}
