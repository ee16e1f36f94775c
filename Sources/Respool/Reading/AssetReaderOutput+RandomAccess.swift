public import RespoolMedia

extension AssetReaderOutput {
  /// Has a provider read other time ranges than the reader's.
  public struct RandomAccessController: Sendable {
    let output: AssetReaderOutput

    /// The provider gives the samples of `timeRanges` from now on.
    ///
    /// After the provider has given nil, while the reader reads and the configuration is not final. The
    /// ranges have to be numeric, the last may have no end; they have to grow and not overlap. Blocks while
    /// the file is opened. Throws `invalidArgument` where one of these does not hold.
    public func resetForReading(timeRanges: [TimeRange]) throws(MediaError) {
      try output.reset(forReadingTimeRanges: timeRanges)
    }

    /// No other ranges will be asked for, so that the reader can complete.
    public func markConfigurationAsFinal() { output.markConfigurationAsFinal() }
  }
}

extension AssetReader {
  /// Adds an output and gives what a task takes its samples from, and what has it read anew.
  ///
  /// The output supports random access from now on. Throws `invalidArgument` where `canAdd` is false.
  public func outputProviderWithRandomAccess(for output: AssetReaderOutput) throws(MediaError)
    -> (AssetReaderOutput.Provider, AssetReaderOutput.RandomAccessController)
  {
    let provider = try outputProvider(for: output)
    output.supportsRandomAccess = true
    return (provider, AssetReaderOutput.RandomAccessController(output: output))
  }
}
