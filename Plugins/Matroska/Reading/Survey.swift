import RespoolPlugin

/// The first blocks of each track, read to describe properties that the track entries omit.
struct Survey {
  struct Track {
    /// Timestamp of the first block.
    var start: Int64?
    /// Start of the first key frame.
    var firstFrame: [UInt8] = []
    /// Timestamps in decoding order.
    var times: [Int64] = []
    /// `true` if one of the frames of a track with decoding times is bidirectional.
    var hasBidirectionalFrames = false
  }

  private(set) var tracks: [UInt64: Track] = [:]

  private enum Limit {
    /// Number of frames that is enough to detect the rate and the order.
    static let frames = 40
    static let blocks = 4000
    /// Maximum number of bytes of the source to scan.
    static let span: Int64 = 64 << 20
    /// Maximum time span to scan, in nanoseconds: 10 s.
    static let nanoseconds: Int64 = 10_000_000_000
    static let front = 1 << 14
  }

  /// Reads blocks until each audio and video track has enough of them.
  ///
  /// Damage ends the survey; later reading reports it.
  init(
    _ entries: [TrackEntry], from start: Int64, _ window: SourceWindow, layout: SegmentLayout,
    scale: Int64
  ) {
    var reader = ClusterReader(window, from: start, segmentEnd: layout.end)
    var missing: [UInt64: Int] = [:]
    for entry in entries {
      if entry.type == TrackEntry.videoType { missing[entry.number] = Limit.frames }
      if entry.type == TrackEntry.audioType { missing[entry.number] = 1 }
    }
    let encodings = Dictionary(
      entries.map { ($0.number, $0.encoding) }, uniquingKeysWith: { first, _ in first })
    var detectors: [UInt64: BidirectionalFrames] = [:]
    for entry in entries where entry.type == TrackEntry.videoType {
      detectors[entry.number] = (try? CodecIdentifier(entry))?.bidirectionalFrames
    }
    var first: Int64?
    for _ in 0..<Limit.blocks where !missing.isEmpty {
      guard let block = try? reader.next() else { break }
      let begin = first ?? block.time
      first = begin
      let isLate =
        block.position - start > Limit.span
        || block.time.subtractingClamped(begin) > Limit.nanoseconds / max(1, scale)
      if isLate { break }
      var track = tracks[block.track] ?? Track()
      if track.start == nil { track.start = block.time }
      if track.firstFrame.isEmpty, block.isKey, let frame = block.frames.first {
        track.firstFrame = Self.front(of: frame, encodings[block.track], window)
      }
      if track.times.count < Limit.frames {
        track.times.append(block.time)
        if let detector = detectors[block.track], !track.hasBidirectionalFrames,
          let frame = block.frames.first
        {
          let head = Self.front(
            of: frame, encodings[block.track], window, count: BidirectionalFrames.headSize)
          track.hasBidirectionalFrames = detector.contains(head)
        }
      }
      tracks[block.track] = track
      if let left = missing[block.track] {
        missing[block.track] = left > 1 ? left - 1 : nil
      }
    }
  }

  private static func front(
    of frame: Range<Int64>, _ encoding: ContentEncoding?, _ window: SourceWindow,
    count: Int = Limit.front
  )
    -> [UInt8]
  {
    let isWhole = encoding?.method == .zlib
    let count = min(Int64(isWhole ? 1 << 20 : count), frame.upperBound - frame.lowerBound)
    guard let bytes = try? window.bytes(at: frame.lowerBound, count: Int(count)) else { return [] }
    guard let encoding, encoding.changesFrames else { return Array(bytes) }
    return (try? encoding.decode(bytes)) ?? []
  }
}

extension Survey.Track {
  /// Maximum number of frames that are decoded before a frame and shown after it.
  var reorderDepth: Int {
    var depth = 0
    for (index, time) in times.enumerated() {
      depth = max(depth, times[..<index].count { $0 > time })
    }
    return min(depth, 16)
  }

  /// Returns the average rate, and `true` if all frames match it.
  ///
  /// `nil` if there are too few frames.
  func frameRate(tick: Rational) -> (rate: Rational, isSteady: Bool)? {
    let sorted = times.sorted()
    guard sorted.count >= 3, let first = sorted.first, let last = sorted.last, last > first,
      tick.isPositive
    else { return nil }
    let span = Double(last - first) * tick.doubleValue
    let average = Double(sorted.count - 1) / span
    for rate in Self.usualRates where abs(rate.doubleValue / average - 1) < 0.02 {
      if isSteady(at: rate, tick: tick) { return (rate, true) }
    }
    guard average < 1000 else { return nil }
    return (
      Rational.nearest(Int64(average * 1_000_000), 1_000_000, limit: 60000), false
    )
  }

  private static let usualRates: [Rational] = [
    Rational(24000, 1001), Rational(24, 1), Rational(25, 1), Rational(30000, 1001), Rational(30, 1),
    Rational(50, 1), Rational(60000, 1001), Rational(60, 1), Rational(15, 1), Rational(12, 1),
    Rational(10, 1), Rational(20, 1), Rational(48, 1), Rational(90, 1), Rational(100, 1),
    Rational(120000, 1001), Rational(120, 1), Rational(5, 1), Rational(1, 1),
  ]

  /// Returns `true` if all times are multiples of the frame duration, apart from rounding to ticks.
  func isSteady(at rate: Rational, tick: Rational) -> Bool {
    let sorted = times.sorted()
    guard let first = sorted.first else { return false }
    return sorted.enumerated().allSatisfy { index, time in
      let expected = rate.inverse.convert(Int64(index), to: tick)
      return (time - first - expected).magnitude <= 1
    }
  }
}
