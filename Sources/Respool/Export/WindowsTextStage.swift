import RespoolMedia

/// Converts packets of text in Windows-1252 to UTF-8; others pass unchanged.
final class WindowsTextStage: Stage {
  private let track: TrackDescription
  private let source: FileSource?
  private let next: any Stage<Packet>
  /// `true` if text was converted.
  private(set) var hasFound = false

  init(_ track: TrackDescription, of source: FileSource?, to next: any Stage<Packet>) {
    (self.track, self.source, self.next) = (track, source, next)
  }

  func consume(_ packet: Packet) throws(MediaError) {
    var packet = packet
    if let buffer = try source?.bytes(of: packet).buffer ?? packet.buffer,
      let text = WindowsText.utf8(Array(buffer.readOnly), of: track)
    {
      hasFound = true
      packet.payload = .bytes(MediaBuffer(text))
    }
    try next.consume(packet)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  func finish() throws(MediaError) { try next.finish() }
}

extension MediaDescription {
  /// `true` for subtitles alone, whose text may not be UTF-8.
  var isTextAlone: Bool { tracks.allSatisfy { $0.kind == .subtitle } }

  /// Returns the description with the headers of text as UTF-8, if it has subtitles alone.
  var withoutWindowsText: MediaDescription {
    var media = self
    guard isTextAlone else { return media }
    for (index, track) in tracks.enumerated() {
      media.tracks[index].extradata =
        WindowsText.utf8(track.extradata, of: track) ?? track.extradata
    }
    return media
  }
}
