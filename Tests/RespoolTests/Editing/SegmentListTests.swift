import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Edits of a track's timeline.
///
/// Times are in tenths of a second.
@Suite struct SegmentListTests {
  private let composition = MutableComposition()
  private let track: MutableCompositionTrack
  private let media: AssetTrack
  private let file = Asset(path: "nowhere.mp4", registry: Pipeline.registry)

  init() throws {
    track = try #require(composition.addMutableTrack(withMediaType: .video))
    media = Self.source(file, .video)
  }

  /// Creates a track of 10 s.
  private static func source(_ file: Asset, _ kind: TrackDescription.Kind) -> AssetTrack {
    var description = TrackDescription(kind: kind, codec: "h264", timeBase: Rational(1, 600))
    description.start = 0
    description.duration = 6000
    return AssetTrack(asset: file, index: 0, description)
  }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 10), end: MediaTime(value: end, timescale: 10))
  }

  private func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 10) }

  /// The segments as `source start-end@target start-end`.
  ///
  /// Tenths of a second. The source of an empty segment is `-`.
  private var shape: [String] {
    track.compositionSegments.map { segment in
      func tenths(_ range: TimeRange) -> String {
        let ends = [range.start, range.end].map { Int(($0.seconds * 10).rounded()) }
        return "\(ends[0])-\(ends[1])"
      }
      return (segment.isEmpty ? "-" : tenths(segment.timeMapping.source)) + "@"
        + tenths(segment.target)
    }
  }

  @Test func `an insertion moves later segments back`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    try track.insertTimeRange(range(50, 60), of: media, at: time(10))
    #expect(shape == ["0-10@0-10", "50-60@10-20", "10-30@20-40"])
    #expect(track.timeRange == range(0, 40))
  }

  /// A time with an epoch has no place on the track's timeline and would make later times invalid.
  @Test func `times with an epoch are rejected and change nothing`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    var late = time(5)
    late.epoch = 1
    let strange = TimeRange(start: late, duration: time(5))
    #expect(throws: MediaError.self) { try track.insertTimeRange(strange, of: media, at: .zero) }
    #expect(throws: MediaError.self) {
      try track.insertTimeRange(self.range(0, 5), of: media, at: late)
    }
    #expect(throws: MediaError.self) {
      try track.insertTimeRanges([self.range(0, 5)], of: [media], at: late)
    }
    #expect(throws: MediaError.self) {
      try composition.insertTimeRangeAndWait(self.range(0, 5), of: composition, at: late)
    }
    track.insertEmptyTimeRange(strange)
    track.removeTimeRange(strange)
    track.scaleTimeRange(strange, toDuration: time(1))
    track.scaleTimeRange(range(0, 5), toDuration: late)
    #expect(throws: MediaError.self) {
      try track.setSegments([
        CompositionTrackSegment(
          track: media, sourceTimeRange: strange, targetTimeRange: self.range(0, 5))
      ])
    }
    #expect(shape == ["0-30@0-30"])
  }

  @Test(.rule) func `an invalid time means the end`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .invalid)
    try track.insertTimeRange(range(0, 30), of: media, at: .invalid)
    #expect(shape == ["0-30@0-30", "0-30@30-60"])
  }

  @Test func `the gap before a time after the end is empty`() throws {
    try track.insertTimeRange(range(0, 10), of: media, at: time(20))
    #expect(shape == ["-@0-20", "0-10@20-30"])
  }

  @Test func `a part after the end of a track is empty`() throws {
    try track.insertTimeRange(range(90, 120), of: media, at: .zero)
    #expect(shape == ["90-100@0-10"])
    try track.insertTimeRange(range(95, 110), of: media, at: .zero)
    #expect(shape == ["95-100@0-5", "-@5-15", "90-100@15-25"])
  }

  @Test(.rule("A track stays after all of it is removed"))
  func `a removal pulls later segments forward`() throws {
    try track.insertTimeRange(range(0, 50), of: media, at: .zero)
    track.removeTimeRange(range(10, 30))
    #expect(shape == ["0-10@0-10", "30-50@10-30"])
    track.removeTimeRange(range(20, 900))
    #expect(shape == ["0-10@0-10", "30-40@10-20"])
    track.removeTimeRange(range(0, 900))
    #expect(shape == [])
    #expect(composition.tracks().count == 1)
  }

  @Test func `scaling moves later segments and keeps the source`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    track.scaleTimeRange(range(10, 20), toDuration: time(40))
    #expect(shape == ["0-10@0-10", "10-20@10-50", "20-30@50-60"])
    track.scaleTimeRange(range(0, 60), toDuration: time(30))
    #expect(shape == ["0-10@0-5", "10-20@5-25", "20-30@25-30"])
  }

  @Test func `thirds add up`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    track.scaleTimeRange(range(0, 30), toDuration: MediaTime(value: 1, timescale: 3))
    #expect(track.timeRange.duration == MediaTime(value: 1, timescale: 3))
    try track.insertTimeRange(range(0, 30), of: media, at: MediaTime(value: 1, timescale: 9))
    #expect(track.timeRange.duration == MediaTime(value: 10, timescale: 3))
  }

  @Test func `an empty range can be inserted everywhere but at the end`() throws {
    try track.insertTimeRange(range(0, 20), of: media, at: .zero)
    track.insertEmptyTimeRange(range(20, 30))
    #expect(shape == ["0-20@0-20"])
    track.insertEmptyTimeRange(range(10, 15))
    #expect(shape == ["0-10@0-10", "-@10-15", "10-20@15-25"])
  }

  @Test(.rule)
  func `several time ranges are inserted together or not at all, and nil inserts an empty range`()
    throws
  {
    try track.insertTimeRanges(
      [range(0, 10), range(0, 5), range(20, 30)], of: [media, nil, media], at: .zero)
    #expect(shape == ["0-10@0-10", "-@10-15", "20-30@15-25"])
    let sound = Self.source(file, .audio)
    #expect(throws: MediaError.self) {
      try track.insertTimeRanges([range(0, 10), range(0, 10)], of: [media, sound], at: .zero)
    }
    #expect(shape.count == 3)
  }

  @Test func `no segment is shorter than a time can be`() throws {
    let second = MediaTime(value: 1, timescale: 1)
    let (first, later) = (Int32.max, Int32.max - 1)
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    // The difference of these two starts is less than half of the smallest unit.
    for scale in [later, first] {
      track.insertEmptyTimeRange(
        TimeRange(start: MediaTime(value: 1, timescale: scale), duration: second))
    }
    #expect(track.compositionSegments.allSatisfy { $0.timeMapping.target.duration > .zero })
    try track.validateSegments(track.compositionSegments)
    #expect(abs(track.timeRange.duration.seconds - 5) < 1e-6)
  }

  @Test(.rule) func `segments follow each other from zero, which validateSegments checks`() throws {
    let first = CompositionTrackSegment(
      track: media, sourceTimeRange: range(0, 10), targetTimeRange: range(0, 10))
    let gap = CompositionTrackSegment(
      track: media, sourceTimeRange: range(0, 10), targetTimeRange: range(11, 21))
    #expect(throws: MediaError.self) { try track.validateSegments([first, gap]) }
    #expect(throws: MediaError.self) { try track.setSegments([gap]) }
    try track.setSegments([first])
    #expect(shape == ["0-10@0-10"])
  }

  @Test func `a whole asset keeps its tracks in sync`() throws {
    let sound = try #require(composition.addMutableTrack(withMediaType: .audio))
    try sound.insertTimeRange(range(0, 100), of: Self.source(file, .audio), at: .zero)
    let clip = Asset(path: Pipeline.clip("variable.mp4"), registry: Pipeline.registry)
    let length = try clip.duration()
    try composition.insertTimeRangeAndWait(
      TimeRange(start: .zero, duration: length), of: clip, at: time(50))
    // The clip's video goes into the video track. It has no audio, so the audio track gets an empty segment.
    #expect(shape.first == "-@0-50")
    #expect(sound.timeRange.duration >= time(100))
    #expect(composition.tracks().count == 2)
  }

  @Test func `a copy does not change with the original`() throws {
    try track.insertTimeRange(range(0, 30), of: media, at: .zero)
    let copy = composition.copy()
    track.removeTimeRange(range(0, 10))
    #expect(copy.duration() == time(30))
    #expect(composition.duration() == time(20))
    #expect(copy.mutableTracks.first?.trackID == track.trackID)
  }
}
