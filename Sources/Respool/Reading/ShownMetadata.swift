import RespoolMedia

/// The sample of a timed metadata track that is valid at a time; the times must increase.
final class ShownMetadata {
  let trackID: Int64
  private let stream: TrackStream
  private var (current, following): (SampleBuffer?, SampleBuffer?)
  private var hasEnded = false

  /// `stream` gives the track's stored samples.
  init(trackID: Int64, stream: TrackStream) {
    (self.trackID, self.stream) = (trackID, stream)
  }

  /// Tolerance for times that were rounded to different time bases.
  private static let slack = MediaTime(value: 1, timescale: 1000)

  /// Returns the sample that is valid at `time`, or `nil` if the track has none then.
  func sample(at time: MediaTime) throws(MediaError) -> SampleBuffer? {
    let time = time + Self.slack
    while let next = try upcoming(), next.presentationTimeStamp <= time {
      (current, following) = (next, nil)
    }
    guard let current else { return nil }
    // A sample without a known duration is valid until the next sample.
    let isStated = current.duration.isNumeric && current.duration > .zero
    return isStated && current.presentationTimeStamp + current.duration <= time ? nil : current
  }

  /// Returns the first sample that has not been taken yet, or `nil` at the end.
  private func upcoming() throws(MediaError) -> SampleBuffer? {
    if following == nil, !hasEnded {
      following = try stream.next()
      hasEnded = following == nil
    }
    return following
  }
}

extension [ShownMetadata] {
  /// Returns the samples of the requested tracks that are valid at `time`.
  func samples(at time: MediaTime, of trackIDs: [Int64]) throws(MediaError) -> [Int64: SampleBuffer]
  {
    var samples: [Int64: SampleBuffer] = [:]
    for track in self where trackIDs.contains(track.trackID) {
      samples[track.trackID] = try track.sample(at: time)
    }
    return samples
  }
}
