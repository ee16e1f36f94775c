import RespoolPlugin

/// A demuxer for WebVTT files.
///
/// Styles, regions and comments before the first cue are the track's extradata, as in Matroska. FFmpeg 5 ends reading
/// at a `STYLE` block.
final class WebVTTDemuxer: Demuxer {
  static var description: FactoryDescription {
    var value = FactoryDescription(
      kind: .demuxer, name: WebVTTFile.name, longName: WebVTTFile.longName)
    value.extensions = WebVTTFile.extensions
    value.mimeTypes = WebVTTFile.mimeTypes
    value.codecs = WebVTTFile.codecs
    value.magics = [FactoryDescription.Magic(Array("WEBVTT".utf8))]
    return value
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    WebVTTCues.isSigned(bytes) ? 100 : 0
  }

  let media: MediaDescription
  private let cues: [WebVTTCues.Cue]
  private var next = 0
  /// Offset of damage that has not been reported.
  private var damage: Int64?

  /// Maximum size in bytes; a feature film has about 100 KB of text.
  private static let largest = 64 << 20

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    let bytes = try source.read(at: 0, count: Self.largest + 1)
    guard bytes.count <= Self.largest else {
      throw MediaError(
        .limitExceeded, "the file has more than \(Self.largest.counting("byte")) of text")
    }
    guard WebVTTCues.isSigned(bytes) else {
      throw MediaError(.malformed, "the file does not begin with WEBVTT", offset: 0)
    }
    let file = WebVTTCues(bytes)
    (cues, damage) = (file.cues, file.damage)
    var track = TrackDescription(
      kind: .subtitle, codec: "webvtt", timeBase: WebVTTFile.timeBase)
    track.id = 1
    track.extradata = file.header
    track.start = cues.first?.start
    let end = file.cues.map { $0.start + $0.duration }.max()
    let first = file.cues.first?.start ?? 0
    track.duration = end.map { $0 - first }
    var media = MediaDescription(format: WebVTTFile.name, tracks: [track])
    media.duration = end.map { WebVTTFile.timeBase.convert($0, to: .nanoseconds) }
    self.media = media
  }

  func read() throws(MediaError) -> Packet? {
    if let damage {
      self.damage = nil
      throw MediaError(
        .malformed, "a cue has no valid times", track: 0, offset: damage)
    }
    guard next < cues.count else { return nil }
    let cue = cues[next]
    next += 1
    var packet = Packet(
      track: 0, pts: cue.start, dts: cue.start, duration: cue.duration, flags: .key,
      payload: .bytes(MediaBuffer(cue.text)))
    packet.sideData = cue.sideData
    return packet
  }

  func seek(track: Int, to time: Int64) throws(MediaError) {
    next = max(0, (cues.firstIndex { $0.start > time } ?? cues.count) - 1)
  }
}
