public import RespoolMedia

/// Reads the stored samples of a timed metadata track as groups.
///
/// Create at most one for an output. The adaptor takes the output's samples, so do not take them elsewhere.
public final class AssetReaderOutputMetadataAdaptor: Sendable {
  public let assetReaderTrackOutput: AssetReaderTrackOutput
  private let coding: Result<TimedMetadataCoding, MediaError>

  /// Creates an adaptor for an output of a timed metadata track; the output must have no settings.
  public init(assetReaderTrackOutput: AssetReaderTrackOutput) {
    self.assetReaderTrackOutput = assetReaderTrackOutput
    do throws(MediaError) {
      coding = .success(
        try TimedMetadataCoding(assetReaderTrackOutput.track.formatDescription))
    } catch { coding = .failure(error) }
  }

  /// Returns the next group; blocks until there is one.
  ///
  /// A time without metadata gives a group without items, or no group. Damaged values and values whose key is
  /// not in the track are left out. Returns `nil` at the end and on failure, and also if the track is not
  /// timed metadata; the reader's status distinguishes them.
  public func nextTimedMetadataGroup() -> TimedMetadataGroup? {
    while let sample = assetReaderTrackOutput.copyNextSampleBuffer() {
      do throws(MediaError) {
        if let group = try group(of: sample) { return group }
      } catch { return nil }
    }
    return nil
  }

  /// Returns the group, or `nil` if the sample is not shown.
  ///
  /// Throws, and makes the reader fail, if the track is not timed metadata.
  func group(of sample: SampleBuffer) throws(MediaError) -> TimedMetadataGroup? {
    do throws(MediaError) {
      let coding = try coding.get()
      // The segments of a composition's track have keys of their own.
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
  /// Provides a track's groups of timed metadata to a task; only one task may call it at a time.
  public struct MetadataProvider: Sendable {
    let provider: Provider
    let adaptor: AssetReaderOutputMetadataAdaptor

    /// Returns the next group as `AssetReaderOutputMetadataAdaptor` reads it, or `nil` at the end.
    ///
    /// Does not block a thread of the cooperative pool. Throws the errors of `Provider`, and also if the
    /// track is not timed metadata.
    public func next() async throws(MediaError) -> TimedMetadataGroup? {
      while let sample = try await provider.next() {
        if let group = try adaptor.group(of: sample) { return group }
      }
      return nil
    }
  }
}

extension AssetReader {
  /// Adds an output of a timed metadata track and returns a provider of its groups for a task.
  ///
  /// Throws `invalidArgument` if `canAdd` is false.
  public func outputMetadataProvider(for output: AssetReaderTrackOutput) throws(MediaError)
    -> AssetReaderOutput.MetadataProvider
  {
    AssetReaderOutput.MetadataProvider(
      provider: try outputProvider(for: output),
      adaptor: AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output))
  }
}
