import RespoolMedia

/// Cuts the output of a muxer into segments and reports their contents.
///
/// A segment starts with a sync sample of the leading track, whose time belongs to a later segment than the
/// previous one. The leading track is the first video track, or the first track if there is no video.
final class SegmentOutput: SegmentCutter {
  private struct Part {
    var start: MediaTime
    var end: MediaTime
    var first: (time: MediaTime, length: Int, isSync: Bool)
  }

  let schedule: SegmentSchedule
  let delivery: SegmentDelivery
  private let sink: FileSink
  private var tracks: [MediaType] = []
  private var lead = 0
  private var segment: Int64 = 0
  private var parts: [Int: Part] = [:]
  private var hasHeader = false

  /// Creates an output that delivers what a muxer writes to `sink` to the writer's delegate.
  ///
  /// Throws `invalidArgument` if segments cannot be written with these settings.
  init(of writer: AssetWriter, _ configuration: AssetWriter.Configuration, sink: FileSink)
    throws(MediaError)
  {
    let interval = configuration.segmentInterval
    guard configuration.delegate != nil else {
      throw MediaError(
        .invalidArgument, "a writer without a file needs a delegate for its segments")
    }
    guard interval.isIndefinite || interval.isNumeric && interval > .zero else {
      throw MediaError(
        .invalidArgument, "preferredOutputSegmentInterval must be positive or indefinite")
    }
    guard interval.isIndefinite || configuration.segmentStart.isNumeric else {
      throw MediaError(.invalidArgument, "a segment interval needs initialSegmentStartTime")
    }
    schedule = SegmentSchedule(interval: interval, start: configuration.segmentStart)
    delivery = SegmentDelivery(of: writer)
    self.sink = sink
  }

  /// Sets the tracks for which the muxer has been opened.
  func begin(_ media: MediaDescription) {
    tracks = media.tracks.map { MediaType($0.kind) }
    lead = tracks.firstIndex(of: .video) ?? 0
  }

  /// Writes a packet with the muxer's track index and times in `timeBase`.
  func write(_ packet: Packet, _ timeBase: Rational, to muxer: MuxerInstance) throws(MediaError) {
    var packet = packet
    let time = MediaTime(packet.pts ?? packet.dts, timeBase)
    if packet.track == lead, packet.flags.contains(.key) {
      let number = schedule.segmentNumber(at: time)
      if number > segment, !parts.isEmpty { packet.flags.insert(.startsSegment) }
      segment = max(segment, number)
    }
    try muxer.write(packet)
    if packet.flags.contains(.startsSegment) { try handOut() }
    let end = time + MediaTime(packet.duration, timeBase)
    let first = (time, packet.size, packet.flags.contains(.key))
    var part = parts[packet.track] ?? Part(start: time, end: end, first: first)
    (part.start, part.end) = (min(part.start, time), max(part.end, end))
    parts[packet.track] = part
  }

  /// Delivers the contents of the sink: the header before the first segment, then a segment.
  func handOut() throws(MediaError) {
    let bytes = try sink.take()
    let mediaStart = boxStart("moof", in: bytes) ?? bytes.count
    if !hasHeader, mediaStart > 0 {
      hasHeader = true
      delivery.deliver(
        Array(bytes[..<mediaStart]),
        AssetSegmentReport(segmentType: .initialization, trackReports: []))
    }
    if mediaStart < bytes.count {
      // Video comes first in a fragment's media, after the eight bytes of the box header.
      let firstByte = boxStart("mdat", in: bytes).map { $0 + 8 - mediaStart }
      delivery.deliver(
        Array(bytes[mediaStart...]),
        AssetSegmentReport(segmentType: .separable, trackReports: reports(firstByte)))
    }
    parts = [:]
  }

  private func reports(_ firstByte: Int?) -> [AssetSegmentTrackReport] {
    parts.sorted { $0.key < $1.key }.map { index, part in
      let isFirstFrame = index == lead && tracks[index] == .video
      return AssetSegmentTrackReport(
        trackID: Int64(index + 1), mediaType: tracks[index],
        earliestPresentationTimeStamp: part.start, duration: part.end - part.start,
        firstVideoSampleInformation: isFirstFrame
          ? firstByte.map {
            AssetSegmentReportSampleInformation(
              presentationTimeStamp: part.first.time, offset: $0, length: part.first.length,
              isSyncSample: part.first.isSync)
          } : nil)
    }
  }
}

/// Returns the start of the first top-level box of a type in the output of a muxer (ISO/IEC 14496-12 4.2).
private func boxStart(_ type: String, in bytes: [UInt8]) -> Int? {
  var place = 0
  while place + 8 <= bytes.count {
    if bytes[place + 4..<place + 8].elementsEqual(type.utf8) { return place }
    let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    guard size >= 8 else { break }
    place += size
  }
  return nil
}
