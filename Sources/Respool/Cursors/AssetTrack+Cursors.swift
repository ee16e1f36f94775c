public import RespoolMedia

extension AssetTrack {
  /// `true` if the track can have cursors: tracks of files can, except attachments; composition tracks cannot.
  public var canProvideSampleCursors: Bool {
    isSelfContained && description.kind != .attachment
  }

  /// Creates a cursor at the last sample presented at or before a time, else at the first presented.
  ///
  /// `nil` if the track has no samples or no cursors, and for an invalid or indefinite time. The first cursor of a
  /// track blocks while all its packets are read; the asset keeps their positions and times. Throws if the file
  /// cannot be read, or if its packets have no times.
  public func makeSampleCursor(presentationTimeStamp time: MediaTime) throws(MediaError)
    -> SampleCursor?
  {
    let base = description.timeBase
    let infinite: Int64? = time == .positiveInfinity ? .max : time == .negativeInfinity ? .min : nil
    guard let ticks = infinite ?? time.ticks(base, rounding: .down) else { return nil }
    return try cursor { $0.sample(shownAtOrBefore: ticks) }
  }

  /// Creates a cursor at the sample decoded first; otherwise as `makeSampleCursor(presentationTimeStamp:)`.
  public func makeSampleCursorAtFirstSampleInDecodeOrder() throws(MediaError) -> SampleCursor? {
    try cursor { _ in 0 }
  }

  /// Creates a cursor at the sample decoded last; otherwise as `makeSampleCursor(presentationTimeStamp:)`.
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

  /// Asynchronous version of `makeSampleCursorAtFirstSampleInDecodeOrder`.
  ///
  /// Does not block a thread of the cooperative pool.
  public func loadSampleCursorAtFirstSampleInDecodeOrder() async throws(MediaError)
    -> SampleCursor?
  {
    try await PlainThread.result("cursor") { () throws(MediaError) in
      try self.makeSampleCursorAtFirstSampleInDecodeOrder()
    }
  }

  /// Asynchronous version of `makeSampleCursorAtLastSampleInDecodeOrder`.
  ///
  /// Does not block a thread of the cooperative pool.
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
