import RespoolMedia

/// Converts packets of a text track to captions.
struct CaptionTrackReader {
  /// Limit of captions shown at a time; no screen has room for more.
  private static let limit = 256
  private static let reading = MediaTime(value: 4, timescale: 1)
  private static let shortest = MediaTime(value: 1, timescale: 1000)

  /// Number of packets that are not valid text of the format.
  private(set) var damagedPackets = 0
  private(set) var firstDamage: MediaError?
  /// Captions of unknown duration; they are shown until the next packet.
  private var waiting: [CaptionReading] = []
  /// End times of the captions that are shown.
  private var ends: [MediaTime] = []

  /// Returns the captions of a packet, preceded by earlier ones of unknown duration, which end at its start.
  ///
  /// A duration that is not above zero is unknown; such captions are returned by a later call. In MP4, a packet of that
  /// duration is only followed by one at the same time if it is not shown (ISO/IEC 14496-12 8.6.1.2). Its captions
  /// last 1 ms, so that no text is lost and no format takes their end for unknown.
  mutating func read(
    _ bytes: [UInt8], sideData: [UInt8] = [], as format: CaptionFormat, over timeRange: TimeRange
  ) -> [CaptionReading] {
    guard timeRange.start.isNumeric else { return [] }
    var readings: [CaptionReading]
    do throws(MediaError) {
      readings = try format.captions(in: bytes, sideData: sideData, over: timeRange)
    } catch {
      damagedPackets += 1
      firstDamage = firstDamage ?? error
      return []
    }
    let isReplaced =
      format.isContinuous && waiting.first?.caption.timeRange.start == timeRange.start
    let ended = finish(at: isReplaced ? timeRange.start + Self.shortest : timeRange.start)
    ends.removeAll { $0 <= timeRange.start }
    readings = Array(readings.prefix(Self.limit - ends.count))
    guard timeRange.duration.isNumeric, timeRange.duration > .zero else {
      waiting = readings
      return ended
    }
    ends += readings.map { _ in timeRange.end }
    return ended + readings
  }

  /// Returns the captions of unknown duration, with `end` as their end.
  ///
  /// If `end` is unknown or not after their start, they last 4 s, so that they can be read.
  mutating func finish(at end: MediaTime) -> [CaptionReading] {
    defer { waiting = [] }
    return waiting.map { reading in
      let start = reading.caption.timeRange.start
      let isKnown = end.isNumeric && end > start
      var ended = reading
      ended.caption.timeRange = TimeRange(start: start, end: isKnown ? end : start + Self.reading)
      return ended
    }
  }
}
