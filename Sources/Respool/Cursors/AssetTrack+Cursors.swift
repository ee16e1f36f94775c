public import RespoolMedia

extension AssetTrack {
  /// Whether cursors can be made: for tracks of files, not for a composition's and not for attachments.
  public var canProvideSampleCursors: Bool {
    isOfFile && description.kind != .attachment
  }

  /// A cursor at the last sample that is shown at or before a time, else at the first that is shown.
  ///
  /// Nil where the track has no samples or no cursors, and for a time without a number. The first cursor of
  /// a track blocks while all its packets are looked at; their places and times are kept by the asset. Throws
  /// where the file cannot be read or its packets have no times.
  public func makeSampleCursor(presentationTimeStamp time: MediaTime) throws(MediaError)
    -> SampleCursor?
  {
    let base = description.timeBase
    let infinite: Int64? = time == .positiveInfinity ? .max : time == .negativeInfinity ? .min : nil
    guard let ticks = infinite ?? time.ticks(base, rounding: .down) else { return nil }
    return try cursor { $0.sample(shownAtOrBefore: ticks) }
  }

  /// A cursor at the sample that is decoded first; otherwise as `makeSampleCursor(presentationTimeStamp:)`.
  public func makeSampleCursorAtFirstSampleInDecodeOrder() throws(MediaError) -> SampleCursor? {
    try cursor { _ in 0 }
  }

  /// A cursor at the sample that is decoded last; otherwise as `makeSampleCursor(presentationTimeStamp:)`.
  public func makeSampleCursorAtLastSampleInDecodeOrder() throws(MediaError) -> SampleCursor? {
    try cursor { $0.entries.count - 1 }
  }

  /// Asynchronous version of `makeSampleCursor`; does not block a thread of the cooperative pool.
  public func loadSampleCursor(presentationTimeStamp time: MediaTime) async throws(MediaError)
    -> SampleCursor?
  {
    try await PlainThread.result("cursor") { () throws(MediaError) in
      try self.makeSampleCursor(presentationTimeStamp: time)
    }
  }

  /// Asynchronous version of `makeSampleCursorAtFirstSampleInDecodeOrder`; does not block a thread of the cooperative pool.
  public func loadSampleCursorAtFirstSampleInDecodeOrder() async throws(MediaError)
    -> SampleCursor?
  {
    try await PlainThread.result("cursor") { () throws(MediaError) in
      try self.makeSampleCursorAtFirstSampleInDecodeOrder()
    }
  }

  /// Asynchronous version of `makeSampleCursorAtLastSampleInDecodeOrder`; does not block a thread of the cooperative pool.
  public func loadSampleCursorAtLastSampleInDecodeOrder() async throws(MediaError)
    -> SampleCursor?
  {
    try await PlainThread.result("cursor") { () throws(MediaError) in
      try self.makeSampleCursorAtLastSampleInDecodeOrder()
    }
  }

  private func cursor(_ place: (SampleIndex) -> Int) throws(MediaError) -> SampleCursor? {
    guard canProvideSampleCursors else { return nil }
    let samples = try sampleIndex()
    return samples.entries.isEmpty ? nil : SampleCursor(self, samples, at: place(samples))
  }
}
