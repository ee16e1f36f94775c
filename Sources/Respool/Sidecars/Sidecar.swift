import RespoolMedia

/// The subtitles of a file beside a film, in memory.
struct Sidecar {
  let file: SubtitleFile
  private(set) var track: TrackDescription
  /// Packets of the track, in the order of the file.
  private(set) var packets: [Packet] = []
  /// Sentence about how the text was read; `nil` if there is nothing to say.
  private(set) var note: String?

  /// Maximum size in bytes, which subtitles as images may have.
  private static let largest: Int64 = 64 << 20

  /// Reads a file.
  ///
  /// Throws `unsupported` if it has no subtitles, `limitExceeded` if it is larger than 64 MiB, and errors of reading.
  init(_ file: SubtitleFile, registry: PluginRegistry) throws(MediaError) {
    self.file = file
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
    var damage: MediaError?
    var isLatin = false
    while var packet = try reader.next(note: { damage = damage ?? $0 }) {
      guard packet.track == index, let buffer = try source.bytes(of: packet).buffer else {
        continue
      }
      var bytes = Array(buffer.readOnly)
      if Self.isText(track.codec), String(validating: bytes, as: UTF8.self) == nil {
        isLatin = true
        bytes = Self.utf8(windows: bytes)
      }
      packet.payload = .bytes(MediaBuffer(bytes))
      packets.append(packet)
    }
    if let damage { throw damage }
    if isLatin {
      note =
        "the text is not UTF-8 and is taken for Windows-1252; convert the file if that is wrong"
      if Self.isText(track.codec), String(validating: track.extradata, as: UTF8.self) == nil {
        track.extradata = Self.utf8(windows: track.extradata)
      }
    }
  }

  private static func isText(_ codec: String) -> Bool { codec != "hdmv_pgs_subtitle" }

  /// Returns text in Windows-1252 as UTF-8.
  private static func utf8(windows bytes: [UInt8]) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let known = (0x80...0x9F).contains(byte) ? extras[Int(byte) - 0x80] : UInt16(byte)
      text.append(Unicode.Scalar(known) ?? "\u{FFFD}")
    }
    return Array(String(text).utf8)
  }

  /// Characters 0x80 to 0x9F of Windows-1252 (Unicode consortium, CP1252.TXT); 0xFFFD where there is none.
  private static let extras: [UInt16] = [
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
  ]
}
