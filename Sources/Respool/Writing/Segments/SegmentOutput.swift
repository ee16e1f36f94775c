import RespoolMedia

/// Cuts the output of a muxer into segments and reports their contents.
///
/// A segment starts with a sync sample of the leading track, whose time belongs to a later segment than the
/// previous one. The leading track is the first video track, or the first track if there is no video.
// Sendable: the thread that writes packets holds the interleaver's lock.
final class SegmentOutput: SegmentCutter, @unchecked Sendable {
  private struct Part {
    var start: MediaTime
    var end: MediaTime
    var first: (time: MediaTime, length: Int, isSync: Bool)
  }

  private let schedule: SegmentSchedule
  private let sink: FileSink
  private let deliver: ([UInt8], AssetSegmentReport) -> Void
  private var tracks: [MediaType] = []
  private var lead = 0
  private var segment: Int64 = 0
  private var parts: [Int: Part] = [:]
  private var hasHeader = false

  init(
    _ schedule: SegmentSchedule, sink: FileSink,
    deliver: @escaping ([UInt8], AssetSegmentReport) -> Void
  ) {
    self.schedule = schedule
    self.sink = sink
    self.deliver = deliver
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
      let number = schedule.segment(at: time)
      if number > segment, !parts.isEmpty { packet.flags.insert(.startsSegment) }
      segment = max(segment, number)
    }
    try muxer.write(packet)
    if packet.flags.contains(.startsSegment) { try handOut() }
    let end = time + MediaTime(packet.duration, timeBase)
    if var part = parts[packet.track] {
      part.start = min(part.start, time)
      part.end = max(part.end, end)
      parts[packet.track] = part
    } else {
      parts[packet.track] = Part(
        start: time, end: end, first: (time, packet.size, packet.flags.contains(.key)))
    }
  }

  /// Delivers the contents of the sink: the header before the first segment, then a segment.
  func handOut() throws(MediaError) {
    let bytes = try sink.take()
    let boxes = BoxWalk(bytes)
    let mediaStart = boxes.start(of: "moof") ?? bytes.count
    if !hasHeader, mediaStart > 0 {
      hasHeader = true
      deliver(
        Array(bytes[..<mediaStart]),
        AssetSegmentReport(segmentType: .initialization, trackReports: []))
    }
    if mediaStart < bytes.count {
      // Video comes first in a fragment's media, after the eight bytes of the box header.
      let firstByte = boxes.start(of: "mdat").map { $0 + 8 - mediaStart }
      deliver(
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

/// Finds top-level boxes in the output of a muxer (ISO/IEC 14496-12 4.2).
private struct BoxWalk {
  private let starts: [(type: String, start: Int)]

  init(_ bytes: [UInt8]) {
    var starts: [(type: String, start: Int)] = []
    var place = 0
    while place + 8 <= bytes.count {
      let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      starts.append((String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), place))
      guard size >= 8 else { break }
      place += size
    }
    self.starts = starts
  }

  func start(of type: String) -> Int? { starts.first { $0.type == type }?.start }
}
