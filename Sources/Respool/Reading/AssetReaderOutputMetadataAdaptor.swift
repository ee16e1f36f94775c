public import RespoolMedia

/// Gives the stored samples of a track of timed metadata as groups.
///
/// One to an output, which gives no samples itself then.
public final class AssetReaderOutputMetadataAdaptor: Sendable {
  public let assetReaderTrackOutput: AssetReaderTrackOutput
  private let coding: Result<TimedMetadataCoding, MediaError>

  /// The output has to be of a track of timed metadata, without settings.
  public init(assetReaderTrackOutput: AssetReaderTrackOutput) {
    self.assetReaderTrackOutput = assetReaderTrackOutput
    do throws(MediaError) {
      coding = .success(
        try TimedMetadataCoding(assetReaderTrackOutput.track.formatDescription))
    } catch { coding = .failure(error) }
  }

  /// The next group; blocks until it is there.
  ///
  /// For a time in which nothing holds it is one without items, or there is none. Values that are damaged or
  /// whose key the track does not have are left out. Nil at the end and on failure, also where the track is
  /// no timed metadata: the reader's status tells which.
  public func nextTimedMetadataGroup() -> TimedMetadataGroup? {
    while let sample = assetReaderTrackOutput.copyNextSampleBuffer() {
      do throws(MediaError) {
        if let group = try group(of: sample) { return group }
      } catch { return nil }
    }
    return nil
  }

  /// Nil for a sample that is not shown; throws, and fails the reader, where the track is no metadata.
  func group(of sample: SampleBuffer) throws(MediaError) -> TimedMetadataGroup? {
    do throws(MediaError) {
      let coding = try coding.get()
      // The pieces of a composition's track have keys of their own.
      let isItsOwn = sample.formatDescription.track.extradata == coding.format.track.extradata
      return try (isItsOwn ? coding : TimedMetadataCoding(sample.formatDescription))
        .group(of: sample)
    } catch {
      assetReaderTrackOutput.reader?.fail(error)
      throw error
    }
  }
}

extension AssetReaderOutput {
  /// Gives a track's groups of timed metadata to a task; one task at a time asks.
  public struct MetadataProvider: Sendable {
    let provider: Provider
    let adaptor: AssetReaderOutputMetadataAdaptor

    /// The next group, or nil at the end, as `AssetReaderOutputMetadataAdaptor` gives it.
    ///
    /// The task waits, no thread of Swift's does. Throws as `Provider` does, and where the track is no timed
    /// metadata.
    public func next() async throws(MediaError) -> TimedMetadataGroup? {
      while let sample = try await provider.next() {
        if let group = try adaptor.group(of: sample) { return group }
      }
      return nil
    }
  }
}

extension AssetReader {
  /// Adds an output of a track of timed metadata and gives what a task takes its groups from.
  ///
  /// Throws `invalidArgument` where `canAdd` is false.
  public func outputMetadataProvider(for output: AssetReaderTrackOutput) throws(MediaError)
    -> AssetReaderOutput.MetadataProvider
  {
    AssetReaderOutput.MetadataProvider(
      provider: try outputProvider(for: output),
      adaptor: AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output))
  }
}
