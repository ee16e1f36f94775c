import RespoolMedia

/// Which sample of a track of timed metadata holds at a time; times have to grow.
final class ShownMetadata {
  let trackID: Int64
  private let stream: TrackStream
  private var (current, following): (SampleBuffer?, SampleBuffer?)
  private var hasEnded = false

  /// `stream` gives the track's stored samples.
  init(trackID: Int64, stream: TrackStream) {
    (self.trackID, self.stream) = (trackID, stream)
  }

  /// By how much times may differ that were rounded to different units.
  private static let slack = MediaTime(value: 1, timescale: 1000)

  /// The sample that holds at `time`; nil where the track has none then.
  func sample(at time: MediaTime) throws(MediaError) -> SampleBuffer? {
    let time = time + Self.slack
    while let next = try upcoming(), next.presentationTimeStamp <= time {
      (current, following) = (next, nil)
    }
    guard let current else { return nil }
    // A duration that is not told lasts until the next sample.
    let isTold = current.duration.isNumeric && current.duration > .zero
    return isTold && current.presentationTimeStamp + current.duration <= time ? nil : current
  }

  /// The first sample that is not taken yet; nil at the end.
  private func upcoming() throws(MediaError) -> SampleBuffer? {
    if following == nil, !hasEnded {
      following = try stream.next()
      hasEnded = following == nil
    }
    return following
  }
}

extension [ShownMetadata] {
  /// The samples that hold at `time`, of the tracks that are wanted then.
  func samples(at time: MediaTime, of trackIDs: [Int64]) throws(MediaError) -> [Int64: SampleBuffer]
  {
    var samples: [Int64: SampleBuffer] = [:]
    for track in self where trackIDs.contains(track.trackID) {
      samples[track.trackID] = try track.sample(at: time)
    }
    return samples
  }
}
