public import RespoolMedia

extension ExportSession {
  /// Approximate maximum size of the output, in bytes.
  ///
  /// 0, the default: no limit. If the preset makes a larger file, a second pass re-encodes with bit rates that
  /// meet the limit.
  public var fileLengthLimit: Int64 {
    get { configuration.fileLengthLimit }
    set { configure { $0.fileLengthLimit = newValue } }
  }

  /// Returns the estimated size of the output, in bytes.
  ///
  /// `nil` if it is unknown and there is no `fileLengthLimit`. The size is unknown if the duration is. Tracks
  /// that are copied and tracks with a bit rate are estimated from their bit rates. The actual size differs by a
  /// few percent, more if a codec saves bits, as Opus does in silence.
  ///
  /// If the preset sets a quality, the estimate is derived from the bit rate of the source. The actual size may
  /// be half or twice as much. Container overhead is not included. The estimate is never above `fileLengthLimit`.
  ///
  /// Blocks while the source is opened. Throws as `prepare` does.
  public func estimatedOutputFileLength() throws(MediaError) -> Int64? {
    let limit = fileLengthLimit > 0 ? fileLengthLimit : nil
    return [try estimate().length, limit].compactMap { $0 }.min()
  }

  /// Asynchronous version of ``estimatedOutputFileLength()``; does not block a thread of the cooperative pool.
  public var estimatedOutputFileLengthInBytes: Int64? {
    get async throws(MediaError) {
      try await PlainThread.result("length") { () throws(MediaError) in
        try self.estimatedOutputFileLength()
      }
    }
  }

  /// Returns the maximum duration of the output: all that is exported, or as much as fits into `fileLengthLimit`
  /// at the bit rates of the preset.
  ///
  /// Longer media is exported nevertheless, with lower bit rates. Indefinite if the duration is unknown. It is as
  /// accurate as `estimatedOutputFileLength`. Blocks while the source is opened. Throws as `prepare` does.
  public func estimateMaximumDuration() throws(MediaError) -> MediaTime {
    try estimate().duration(within: fileLengthLimit)
  }

  /// Asynchronous version of ``estimateMaximumDuration()``; does not block a thread of the cooperative pool.
  public var estimatedMaximumDuration: MediaTime {
    get async throws(MediaError) {
      try await PlainThread.result("duration") { () throws(MediaError) in
        try self.estimateMaximumDuration()
      }
    }
  }

  private func estimate() throws(MediaError) -> ExportEstimate {
    let prepared = try prepareExport()
    return ExportEstimate(
      prepared.settings(filteredBy: configuration.metadataItemFilter), prepared.media)
  }
}
