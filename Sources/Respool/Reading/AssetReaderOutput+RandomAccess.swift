public import RespoolMedia

extension AssetReaderOutput {
  /// Lets a provider read other time ranges than the reader's.
  public struct RandomAccessController: Sendable {
    let output: AssetReaderOutput

    /// Makes the provider read the samples of `timeRanges` next.
    ///
    /// Allowed after the provider has returned `nil`, while the reader is reading and the configuration is
    /// not final. The ranges must be numeric, ascending and without overlap; only the last may have no end.
    /// Blocks while the file is opened. Throws `invalidArgument` if one of these conditions is not met.
    public func resetForReading(timeRanges: [TimeRange]) throws(MediaError) {
      try output.reset(forReadingTimeRanges: timeRanges)
    }

    /// Declares that no other ranges will be read, so that the reader can complete.
    public func markConfigurationAsFinal() { output.markConfigurationAsFinal() }
  }
}

extension AssetReader {
  /// Adds an output and returns a provider of its samples and a controller that lets it read other ranges.
  ///
  /// Enables random access of the output. Throws `invalidArgument` if `canAdd` is false.
  public func outputProviderWithRandomAccess(for output: AssetReaderOutput) throws(MediaError)
    -> (AssetReaderOutput.Provider, AssetReaderOutput.RandomAccessController)
  {
    let provider = try outputProvider(for: output)
    output.supportsRandomAccess = true
    return (provider, AssetReaderOutput.RandomAccessController(output: output))
  }
}
