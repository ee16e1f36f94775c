import RespoolPlugin

/// A writer of the segment once the tracks are known: head, clusters, then the cues and other data known only
/// at the end.
final class SegmentWriter {
  /// Maximum duration of a cluster in milliseconds; the relative time of a block has 16 bits.
  private static let longest: Int64 = 5000
  private static let largest = 5 << 20
  /// Minimum distance of key frames, in milliseconds, to begin a new cluster.
  private static let shortest: Int64 = 1000
  /// Milliseconds.
  ///
  /// Longer frames are written with a duration, because the next one may be in another cluster.
  private static let longPicture: Int64 = 1000
  private static let unknownSize: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

  private let sink: ByteSink
  private let isWebM: Bool
  private var head: SegmentHead
  /// Position of the segment's payload, to which positions are relative.
  private let origin: Int64
  private var seekHead = SeekHead()
  private let infoPosition: Int64
  private let tracksPosition: Int64
  private let trackBytes: Int
  /// Space reserved for cues before the clusters.
  private let room: (position: Int64, count: Int)
  private var cues = Cues()
  private var cluster = Cluster()
  private let cueTrack: Int
  private let hasVideo: Bool
  private var cutters: [PieceCutter]
  private var links: [ChainedAudio]
  private var lastTimes: [Int64?]
  /// Start of the last packet, in the time base of each track.
  private var lastStarts: [Int64?]
  private var lastLengths: [Int64]
  private var blockCounts: [Int]
  /// End of the media in milliseconds, not rounded.
  private var end = 0.0

  init(
    _ head: SegmentHead, attachments: [UInt8], isWebM: Bool, sink: ByteSink
  ) throws(MediaError) {
    self.sink = sink
    self.isWebM = isWebM
    self.head = head
    cutters = head.tracks.map { PieceCutter($0.description, timeBase: $0.timeBase) }
    links = head.tracks.map { ChainedAudio($0.description) }
    lastTimes = head.tracks.map { _ in nil }
    lastStarts = lastTimes
    lastLengths = lastTimes.map { _ in 0 }
    blockCounts = head.tracks.map { _ in 0 }
    let video = head.tracks.first { $0.description.kind == .video }
    hasVideo = video != nil
    let audio = head.tracks.first { $0.description.kind == .audio }
    cueTrack = (video ?? audio ?? head.tracks.first)?.number ?? 1

    var front = EBMLWriter()
    front.append(SegmentHead.header(isWebM: isWebM))
    front.identifier(.segment)
    front.append(Self.unknownSize)
    let origin = Int64(front.count)
    self.origin = origin
    var entries: [(id: ElementID, position: Int64)] = []
    if sink.isSeekable { front.void(SeekHead.reserved) }
    func add(_ id: ElementID, _ bytes: [UInt8]) {
      guard !bytes.isEmpty else { return }
      entries.append((id, Int64(front.count) - origin))
      front.append(bytes)
    }
    infoPosition = Int64(front.count)
    add(.info, head.info(duration: 0))
    tracksPosition = Int64(front.count)
    let trackEntries = head.trackEntries()
    trackBytes = trackEntries.count
    add(.tracks, trackEntries)
    add(.chapters, head.chapters())
    add(.tags, head.tags())
    add(.attachments, attachments)
    seekHead.entries = entries
    let count = sink.isSeekable ? Self.roomForCues(head.media) : 0
    room = (Int64(front.count), count)
    front.void(count)
    try sink.write(front.bytes)
  }

  /// Returns the bytes to reserve.
  ///
  /// A cue has at most 30 bytes, and there is rarely more than one in two seconds.
  private static func roomForCues(_ media: MediaDescription) -> Int {
    let seconds = Int(max(0, media.duration ?? 0) / 1_000_000_000)
    return min(1 << 18, 256 + 15 * seconds)
  }

  // MARK: Packets

  func write(_ packet: Packet, track index: Int) throws(MediaError) {
    let track = head.tracks[index]
    let isAudio = track.description.kind == .audio
    guard let packet = cutters[index].fitted(packet, isAudio: isAudio) else { return }
    try write(fitted: packet, track: index)
  }

  private func write(fitted packet: Packet, track index: Int) throws(MediaError) {
    let track = head.tracks[index]
    let pts = packet.pts ?? packet.dts ?? 0
    var time = track.blockTime(pts, shift: head.shift)
    let packet = try track.codecPrivate.convert(packet, track.timeBase)
    let trimEnd = max(0, packet.trimEnd)
    var padding = trimEnd
    let link = links[index].hiddenStart(of: packet, in: track.timeBase)
    let hidden = cutters[index].isBehindFirst ? max(link, packet.trimStart) : link
    if hidden > 0 {
      // A block stores only one value: the part before a clip is always hidden.
      padding = -hidden
      time = max(time, lastTimes[index] ?? time)
    }
    var block = Cluster.Block(
      packet: packet, track: track.number, time: time, duration: nil,
      discardPadding: track.timeBase.convert(padding, to: .nanoseconds),
      reference: nil)
    if !packet.flags.contains(.key), let last = lastTimes[index] { block.reference = last - time }
    lastTimes[index] = time
    let isTimedText = track.description.kind != .video && track.description.kind != .audio
    let duration = track.timeBase.convert(packet.duration, to: MatroskaTrack.milliseconds)
    if isTimedText && packet.duration > 0
      || track.description.kind == .video && duration > Self.longPicture
    {
      block.duration = duration
    }

    let isCue = track.number == cueTrack && (hasVideo ? block.isKey : cluster.isEmpty)
    let isStart = hasVideo && isCue && time - cluster.time >= Self.shortest
    if !cluster.isEmpty,
      isStart || time - cluster.time >= Self.longest || time - cluster.time < -30000
        || cluster.payloadSize + packet.size > Self.largest
    {
      try writeCluster()
    }
    cluster.append(block)
    if !packet.flags.contains(.discard) {
      let shown = Double(pts) + Double(length(of: packet, pts, index) - trimEnd)
      end = max(end, shown * track.timeBase.doubleValue * 1000 + Double(head.shift))
    }
  }

  /// Returns the duration of `packet`, or the distance of the last two if it has none.
  private func length(of packet: Packet, _ pts: Int64, _ index: Int) -> Int64 {
    let distance = lastStarts[index].map { pts - $0 } ?? 0
    lastStarts[index] = pts
    blockCounts[index] += 1
    if packet.duration > 0 {
      lastLengths[index] = packet.duration
    } else if distance > 0 {
      lastLengths[index] = distance
    }
    return lastLengths[index]
  }

  private func writeCluster() throws(MediaError) {
    guard !cluster.isEmpty else { return }
    let position = sink.size - origin
    let (parts, offsets) = cluster.parts()
    for part in parts {
      switch part {
      case .bytes(let bytes): try sink.write(bytes)
      case .payload(let packet): try sink.write(payloadOf: packet)
      }
    }
    var hasCue = false
    for (block, offset) in zip(cluster.blocks, offsets)
    where block.track == cueTrack && (hasVideo ? block.isKey : !hasCue) {
      // Every frame of an intra-only codec is a key frame: one cue per half second is enough.
      if let last = cues.points.last, hasVideo, block.time - last.time < 500 { continue }
      hasCue = true
      cues.points.append(
        Cues.Point(
          time: block.time, track: block.track, clusterPosition: position,
          relativePosition: offset))
    }
    cluster = Cluster()
  }

  // MARK: The end

  func finish() throws(MediaError) {
    for (index, track) in head.tracks.enumerated() where track.description.kind == .video {
      if blockCounts[index] == 1, lastLengths[index] > 0 {
        // Without a duration, readers show the only frame of an animation for a millisecond.
        let duration = track.timeBase.convert(lastLengths[index], to: .nanoseconds)
        head.tracks[index].onlyPictureLasts = UInt64(clamping: duration)
      }
      cluster.setLastDuration(of: track.number) { block in
        let duration = track.timeBase.convert(
          block.packet.duration, to: MatroskaTrack.milliseconds)
        return duration > 0 && duration != track.defaultMilliseconds ? duration : nil
      }
    }
    try writeCluster()
    guard sink.isSeekable else { return }
    try writeCues()
    // A duration of 0 is not valid (5.1.2.10); a single frame may have an unknown length.
    try sink.overwrite(at: infoPosition, with: head.info(duration: max(1, end)))
    // Data that an encoder knows only at its end, such as the checksum of FLAC, must have the same size.
    let entries = head.trackEntries()
    if entries.count == trackBytes { try sink.overwrite(at: tracksPosition, with: entries) }
    try sink.overwrite(at: origin, with: seekHead.bytes)
    let size = EBMLWriter.size(Int(sink.size - origin), length: 8)
    try sink.overwrite(at: origin - 8, with: size)
  }

  /// Replaces the tracks' records with their final versions.
  func update(_ tracks: [MatroskaTrack]) {
    head = SegmentHead(media: head.media, tracks: tracks, isWebM: isWebM, shift: head.shift)
  }

  private func writeCues() throws(MediaError) {
    guard !cues.points.isEmpty else { return }
    var bytes = cues.bytes()
    let left = room.count - bytes.count
    if left == 0 || left >= 2 {
      var writer = EBMLWriter()
      writer.append(bytes)
      writer.void(left)
      try sink.overwrite(at: room.position, with: writer.bytes)
    } else {
      // The reserved space stays, and the clusters move.
      bytes = cues.bytes(shift: Int64(bytes.count))
      try sink.insert(bytes, at: room.position)
    }
    seekHead.entries.append((.cues, room.position - origin))
  }
}
