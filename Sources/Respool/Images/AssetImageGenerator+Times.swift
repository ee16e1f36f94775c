public import RespoolMedia

extension AssetImageGenerator {
  /// An image and the presentation time of its frame.
  public typealias Shown = (image: PixelBuffer, actualTime: MediaTime)

  /// Returns the frame shown at `time`, in 24-bit RGB with square pixels, and its presentation time.
  ///
  /// If no frame is shown then, returns the last frame before or else the first one after, within the tolerances.
  /// Blocks. Throws errors of reading, and `invalidArgument` if there is no frame.
  public func copyImage(at time: MediaTime) throws(MediaError) -> Shown {
    let shown = try shownFrame(at: time)
    // A frame that began before the range that is read is reported with the start of that range.
    return (shown.image, try beginning(of: shown.actualTime))
  }

  /// Asynchronous version of ``copyImage(at:)``; does not block a thread of the cooperative pool.
  public func image(at time: MediaTime) async throws(MediaError) -> Shown {
    try await PlainThread.result("image") { () throws(MediaError) in try self.copyImage(at: time) }
  }

  /// Returns the image for a time; the reported time may be the start of the range that is read.
  func shownFrame(at time: MediaTime) throws(MediaError) -> Shown {
    guard time.isNumeric else {
      throw MediaError(.invalidArgument, "the time of an image is not numeric")
    }
    let moment = MediaTime(value: 1, timescale: 1000)
    if let exact = try first(in: TimeRange(start: time, duration: moment)) { return exact }
    if let before = try lastBefore(time) { return before }
    let end = time + max(.zero, requestedTimeToleranceAfter)
    if end > time, let after = try first(in: TimeRange(start: time, end: end)) { return after }
    throw MediaError(
      .invalidArgument, "there is no frame at \(time.seconds) s", file: asset.path)
  }

  /// Returns the last frame before a time within the tolerance; searches ranges of growing length.
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

  /// Returns the presentation time of the frame shown at a time: the latest stored one up to that time.
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

  /// Returns `true` if a frame is stored near the end of a range that the header of the file states.
  ///
  /// Reads what is needed to decode one frame. `false` also if the last frame lasts a tenth of the range.
  package func hasFrame(nearEndOf range: TimeRange) throws(MediaError) -> Bool {
    let part = range.duration.multiplied(by: 1, dividedBy: 20)
    let time = range.end - part
    guard time.isNumeric, time > .zero else { return true }
    let latest = try stored(at: time) { output in
      var latest: MediaTime?
      while let sample = output.copyNextSampleBuffer() {
        latest = max(latest ?? .zero, sample.presentationTimeStamp)
      }
      return latest
    }
    return latest.map { $0 >= time - part } ?? false
  }

  /// Returns the result of `body` for the stored samples that are needed to decode the frame at a time.
  func stored<R>(at time: MediaTime, _ body: (AssetReaderTrackOutput) -> R) throws(MediaError) -> R
  {
    let range = TimeRange(start: time, duration: MediaTime(value: 1, timescale: 1000))
    let (reader, output) = try started(range, settings: nil)
    defer { reader.cancelReading() }
    return body(output)
  }

  /// Returns an output for a range of the track, and its reader, which has started.
  func started(_ range: TimeRange, settings: AssetReaderTrackOutput.Settings?) throws(MediaError)
    -> (AssetReader, AssetReaderTrackOutput)
  {
    let reader = try AssetReader(asset: asset)
    reader.timeRange = range
    let output = AssetReaderTrackOutput(track: track, settings: settings)
    output.alwaysCopiesSampleData = false
    try reader.add(output)
    reader.startReading()
    return (reader, output)
  }
}
