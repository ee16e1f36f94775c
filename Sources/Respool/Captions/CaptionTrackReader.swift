import RespoolMedia

/// The packets of a text track on their way to become captions.
struct CaptionTrackReader {
  /// More captions at a time are not shown: no screen has room for them.
  private static let limit = 256
  private static let reading = MediaTime(value: 4, timescale: 1)

  /// Packets that are no text of the format.
  private(set) var damagedPackets = 0
  private(set) var firstDamage: MediaError?
  /// Of which the file does not say how long they are shown: until the next.
  private var waiting: [CaptionReading] = []
  /// When those go that are shown.
  private var ends: [MediaTime] = []

  /// What a packet shows, and what waited for it to come.
  ///
  /// A duration that is not above zero is not known.
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
    let ended = finish(at: timeRange.start)
    ends.removeAll { $0 <= timeRange.start }
    readings = Array(readings.prefix(Self.limit - ends.count))
    guard timeRange.duration.isNumeric, timeRange.duration > .zero else {
      waiting = readings
      return ended
    }
    ends += readings.map { _ in timeRange.end }
    return ended + readings
  }

  /// What waits for the end of its time: `end`, or where that is not known, as long as it takes to read.
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
