import RespoolPlugin

/// Properties of the tracks that are found by scanning the fragments before any packet is read.
struct FragmentSurvey {
  /// Times are in units of the track's time scale.
  struct Track {
    var start: Int64
    var end: Int64
    var sampleCount: Int64 = 0
    var byteCount: Int64 = 0
    /// Greatest amount by which a composition time lies below its decoding time; 0 if none does.
    var decodeShift: Int64 = 0
    /// Greatest common divisor of the sample durations.
    var step: UInt32 = 0
  }

  private(set) var tracks: [UInt32: Track] = [:]
  /// `false` if there are too many boxes to scan all fragments.
  private(set) var isComplete = false

  /// Maximum number of boxes that are scanned.
  private static let mostBoxes = 100_000

  /// Scans the fragments.
  ///
  /// `times` holds the decoding time, by track ID, at which the samples of the movie box end.
  init(_ movie: Movie, source: ByteSource, from start: Int64, times: [UInt32: Int64])
    throws(MediaError)
  {
    var offset = start
    var times = times
    for _ in 0..<Self.mostBoxes {
      guard let box = try? source.boxHeader(at: offset) else {
        isComplete = true
        return
      }
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      if box.type == "moof", let size = box.size, size <= 16 << 20 {
        let begin = offset + box.headerSize
        let bytes = try source.read(at: begin, count: Int(size - box.headerSize))
        let runs = try? FragmentReader.read(
          ByteReader(bytes, origin: begin), start: offset, extends: movie.extends, times: times)
        for run in runs ?? [] {
          times[run.trackID] = run.end
          add(run)
        }
      }
      let (next, overflow) = offset.addingReportingOverflow(box.size ?? .max)
      guard !overflow else {
        isComplete = true
        return
      }
      offset = next
    }
  }

  private mutating func add(_ run: FragmentReader.Run) {
    guard !run.samples.isEmpty else { return }
    let first = run.samples.lazy.map { $0.decodeTime + Int64($0.compositionOffset) }.min() ?? 0
    let last = run.samples.lazy.map {
      $0.decodeTime + Int64($0.compositionOffset) + Int64($0.duration)
    }.max()
    var track = tracks[run.trackID] ?? Track(start: first, end: run.end)
    track.end = max(track.end, last ?? run.end)
    track.sampleCount += Int64(run.samples.count)
    for sample in run.samples {
      track.byteCount = track.byteCount.addingClamped(Int64(sample.size))
      track.decodeShift = max(track.decodeShift, -Int64(sample.compositionOffset))
      track.step = track.step.greatestCommonDivisor(sample.duration)
    }
    tracks[run.trackID] = track
  }
}

extension MovieDescriber {
  /// Adds the survey's results to the track descriptions.
  ///
  /// Returns `false` if there are no fragments.
  func surveyFragments(_ tracks: inout [TrackReader]) throws(MediaError) -> Bool {
    let ends = tracks.lazy.filter { $0.cover == nil }.map { ($0.trackID, $0.index.end) }
    let survey = try FragmentSurvey(
      movie, source: source, from: layout.fragmentsStart,
      times: Dictionary(ends) { first, _ in first })
    for number in tracks.indices {
      guard let found = survey.tracks[tracks[number].trackID] else { continue }
      var track = tracks[number].description
      let pace = tracks[number].fragmentPace
      let scale = Int64(track.timeBase.denominator) / pace.multiple
      // Without a common shift, a fragment with lower offsets than those before would make decoding times go
      // back.
      tracks[number].fragmentDecodeShift = found.decodeShift
      let shift = tracks[number].fragmentShift
      let isFirst = tracks[number].index.isEmpty
      if isFirst {
        track.start = pace.time(max(found.start + shift, tracks[number].timeline.start))
      }
      guard survey.isComplete else {
        tracks[number].description = track
        continue
      }
      let length = found.end - (isFirst ? found.start : 0)
      let end = min(found.end, tracks[number].fragmentEnd)
      track.duration = max(0, pace.time(end + shift) - (track.start ?? 0))
      track.packetCount = found.sampleCount + Int64(tracks[number].index.samples.count)
      if length > 0 {
        track.bitRate = Int64(
          clamping: Int128(found.byteCount) * 8 * Int128(scale) / Int128(length))
      }
      if track.kind == .video, isFirst, length > 0 {
        let count = Int128(found.sampleCount) * Int128(scale)
        track.frameRate = Rational(reducing: Int64(clamping: count), length)
        if found.step > 0 { track.baseFrameRate = Rational(reducing: scale, Int64(found.step)) }
      }
      if isFirst { track.pace(by: pace.rate) }
      tracks[number].description = track
    }
    return !survey.tracks.isEmpty
  }
}
