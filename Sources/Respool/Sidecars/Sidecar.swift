import RespoolMedia

/// The subtitles of a file beside a film, in memory.
struct Sidecar {
  let file: SubtitleFile
  private(set) var track: TrackDescription
  /// Packets of the track, in the order of the file.
  private(set) var packets: [Packet] = []
  /// Sentence about how the text was read; `nil` if there is nothing to say.
  private(set) var note: String?
  /// Damage of the file, without which its text was read; `nil` if there is none.
  private(set) var damage: MediaError?

  /// Maximum size in bytes, which subtitles as images may have.
  private static let largest: Int64 = 64 << 20

  /// Reads a file.
  ///
  /// Damage that leaves text is no error. Throws `unsupported` if it has no subtitles, `limitExceeded` if it is larger than 64 MiB, and errors of reading.
  init(_ file: SubtitleFile, registry: PluginRegistry) throws(MediaError) {
    self.file = file
    guard !SubtitleFile.unread.contains(PathName.splitExtension(file.path).extension) else {
      throw MediaError(
        .unsupported,
        "subtitles with the extensions idx and sub are not read; make an mkv of them and the film with mkvmerge",
        file: file.path)
    }
    let source = try FileSource(path: file.path)
    guard source.size <= Self.largest else {
      throw MediaError(
        .limitExceeded, "the file has \(source.size) bytes; subtitles have \(Self.largest) at most",
        file: file.path)
    }
    let demuxer = try registry.openDemuxer(source)
    guard let index = demuxer.media.tracks.firstIndex(where: { $0.kind == .subtitle }) else {
      throw MediaError(.unsupported, "the file has no subtitles", file: file.path)
    }
    track = demuxer.media.tracks[index]
    track.language = file.language ?? track.language
    track.disposition.formUnion(file.disposition)
    try demuxer.select(demuxer.media.tracks.indices.map { $0 == index })
    var reader = DamageTolerantReader(demuxer)
    var isLatin = false
    var first: MediaError?
    while var packet = try reader.next(note: { first = first ?? $0 }) {
      guard packet.track == index, let buffer = try source.bytes(of: packet).buffer else {
        continue
      }
      var bytes = Array(buffer.readOnly)
      if let text = WindowsText.utf8(bytes, of: track) {
        isLatin = true
        bytes = text
      }
      packet.payload = .bytes(MediaBuffer(bytes))
      packets.append(packet)
    }
    if packets.isEmpty, let first { throw first }
    damage = first
    if isLatin {
      note = WindowsText.note
      track.extradata = WindowsText.utf8(track.extradata, of: track) ?? track.extradata
    }
  }

  /// Removes what is shown outside of a range, whose start becomes 0.
  mutating func cut(to timeRange: TimeRange) {
    let base = track.timeBase
    let start = timeRange.start.ticks(base) ?? 0
    let end = timeRange.end.isNumeric ? timeRange.end.ticks(base) ?? .max : .max
    packets = packets.compactMap { packet in
      guard let shown = packet.pts ?? packet.dts, shown < end else { return nil }
      var packet = packet
      packet.duration = min(packet.duration, end - shown)
      (packet.pts, packet.dts) = (shown - start, shown - start)
      return packet.cut(before: 0) ? packet : nil
    }
    track.start = packets.first?.pts
    track.duration = nil
    track.packetCount = nil
  }
}
