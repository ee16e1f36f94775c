public import RespoolMedia

extension AssetImageGenerator {
  /// A picture and when it begins to be shown.
  public typealias Shown = (image: PixelBuffer, actualTime: MediaTime)

  /// The picture that is shown at `time`, in 24-bit RGB with square pixels, and when it begins to be shown.
  ///
  /// If nothing is shown then: the last picture before, or else the first one after, as far as the
  /// tolerances reach. Blocks. Throws what reading throws, and `invalidArgument` if there is no picture.
  public func copyImage(at time: MediaTime) throws(MediaError) -> Shown {
    let shown = try shownPicture(at: time)
    // What is shown already when reading begins is told as beginning there.
    return (shown.image, try beginning(of: shown.actualTime))
  }

  /// Asynchronous version of ``copyImage(at:)``; does not block a thread of the cooperative pool.
  public func image(at time: MediaTime) async throws(MediaError) -> Shown {
    try await PlainThread.result("image") { () throws(MediaError) in try self.copyImage(at: time) }
  }

  /// The picture for a time, whose own time may be that of reading.
  func shownPicture(at time: MediaTime) throws(MediaError) -> Shown {
    guard time.isNumeric else {
      throw MediaError(.invalidArgument, "a picture at a time that is not numeric")
    }
    let moment = MediaTime(value: 1, timescale: 1000)
    if let exact = try first(in: TimeRange(start: time, duration: moment)) { return exact }
    if let before = try lastBefore(time) { return before }
    let end = time + max(.zero, requestedTimeToleranceAfter)
    if end > time, let after = try first(in: TimeRange(start: time, end: end)) { return after }
    throw MediaError(
      .invalidArgument, "there is no picture at \(time.seconds) s", file: asset.path)
  }

  /// The last picture before a time that the tolerance reaches: looked for in stretches that grow.
  private func lastBefore(_ time: MediaTime) throws(MediaError) -> Shown? {
    let earliest = max(.zero, time - max(.zero, requestedTimeToleranceBefore))
    var (end, seconds) = (
      min(time, (try? asset.duration()).flatMap { $0.isNumeric ? $0 : nil } ?? time), Int64(1)
    )
    while end > earliest {
      let start = max(earliest, end - MediaTime(value: seconds, timescale: 1))
      if let found = try last(in: TimeRange(start: start, end: end)) { return found }
      (end, seconds) = (start, seconds * 8)
    }
    return nil
  }

  /// When the picture begins that is shown at a time: the greatest time of a stored sample up to it.
  private func beginning(of time: MediaTime) throws(MediaError) -> MediaTime {
    try stored(at: time) { output in
      var latest: MediaTime?
      while let sample = output.copyNextSampleBuffer() {
        let start = sample.presentationTimeStamp
        if start <= time, !sample.attachments.doNotDisplay { latest = max(latest ?? start, start) }
      }
      return latest
    } ?? time
  }

  /// What `body` makes of the stored samples that the picture at a time needs.
  func stored<R>(at time: MediaTime, _ body: (AssetReaderTrackOutput) -> R) throws(MediaError) -> R
  {
    let reader = try AssetReader(asset: asset)
    reader.timeRange = TimeRange(start: time, duration: MediaTime(value: 1, timescale: 1000))
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    output.alwaysCopiesSampleData = false
    try reader.add(output)
    reader.startReading()
    defer { reader.cancelReading() }
    return body(output)
  }
}
