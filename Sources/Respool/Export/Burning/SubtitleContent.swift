import RespoolMedia

/// All packets of a subtitle track, with their bytes.
struct SubtitleContent {
  let track: TrackDescription
  private(set) var packets: [Packet] = []
  /// Number of bytes of the packets.
  private var size = 0

  /// Maximum size in bytes.
  private static let largest = 256 << 20

  init(_ track: TrackDescription) { self.track = track }

  init(_ sidecar: Sidecar) { (track, packets) = (sidecar.track, sidecar.packets) }

  /// Adds a packet; throws `limitExceeded` if all would be larger than 256 MiB.
  mutating func append(_ packet: Packet) throws(MediaError) {
    size += packet.size + 64
    guard size <= Self.largest else {
      throw MediaError(
        .limitExceeded, "the subtitles to draw have more than \(Self.largest >> 20) MiB")
    }
    packets.append(packet)
  }
}

/// Reads a subtitle track of a prepared export as a whole, with the times of its output.
struct SubtitleReading {
  let prepared: PreparedExport
  /// File of the asset; `nil` for a composition.
  let source: FileSource?
  let registry: PluginRegistry
  let run: ExportRun

  /// Reads the track `index` of the source; `settings` are those of the export.
  func content(of index: Int, _ settings: ResolvedSettings) throws(MediaError) -> SubtitleContent {
    if let sidecar = prepared.sidecars.sidecar(ofTrack: index) { return SubtitleContent(sidecar) }
    let track = prepared.media.tracks[index]
    let collector = PacketCollector(SubtitleContent(track), of: source)
    if let edited = prepared.edited {
      try read(index, of: edited, into: collector)
    } else if let source {
      let demuxer = try registry.openDemuxer(source)
      let tracks = demuxer.media.tracks.indices
      guard tracks.contains(index) else {
        throw MediaError(.internal, "the file has no \(TrackNumber(index: index)) any more")
      }
      var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: tracks.count)
      stages[index] = collector
      let written = Set(settings.outputTracks.map(\.source))
      // The times of an output count from the earliest start of the tracks that are written.
      var loop = DemuxLoop(
        demuxer: demuxer, source: source, stages: stages,
        startingWith: tracks.map { written.contains($0) })
      try run.perform(stoppedBy: { [source] in source.cancel() }) { () throws(MediaError) in
        try loop.run()
      }
    }
    return collector.content
  }

  private func read(_ index: Int, of edited: EditedMedia, into collector: PacketCollector)
    throws(MediaError)
  {
    let (output, base) = try edited.output(
      for: .init(source: index, kind: .subtitle, action: .passThrough))
    output.alwaysCopiesSampleData = false
    let reader = try AssetReader(asset: edited.asset)
    reader.timeRange = edited.timeRange
    try reader.add(output)
    var feed = SampleFeed(output: output, start: edited.timeRange.start, timeBase: base)
    feed.isPlaced = edited.isPlaced(index, in: base)
    feed.lasts = true
    feed.packets = collector
    try run.perform(stoppedBy: { reader.cancelReading() }) { [feed] () throws(MediaError) in
      try SampleFeed.run([feed], from: [reader]) { reader.cancelReading() }
    }
  }
}

/// The end of a chain: keeps packets with their bytes.
private final class PacketCollector: Stage {
  private(set) var content: SubtitleContent
  private let source: FileSource?

  init(_ content: SubtitleContent, of source: FileSource?) {
    (self.content, self.source) = (content, source)
  }

  func consume(_ packet: Packet) throws(MediaError) {
    guard !packet.flags.contains(.discard) else { return }
    var packet = packet
    if let bytes = try source?.bytes(of: packet).buffer { packet.payload = .bytes(bytes) }
    try content.append(packet)
  }

  func finish() throws(MediaError) {}
}
