import RespoolMedia

/// Converts packets of a text track to captions.
struct CaptionTrackReader {
  /// Limit of captions shown at a time; no screen has room for more.
  private static let limit = 256
  private static let reading = MediaTime(value: 4, timescale: 1)

  /// Number of packets that are not valid text of the format.
  private(set) var damagedPackets = 0
  private(set) var firstDamage: MediaError?
  /// Captions of unknown duration; they are shown until the next packet.
  private var waiting: [CaptionReading] = []
  /// End times of the captions that are shown.
  private var ends: [MediaTime] = []

  /// Returns the captions of a packet, preceded by earlier ones of unknown duration, which end at its start.
  ///
  /// A duration that is not above zero is unknown; such captions are returned by a later call.
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
