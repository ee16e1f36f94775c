import RespoolPlugin

/// A cue with its side data: settings, identifier and the comments before the cue, as in Matroska.
struct Cue {
  /// Times in milliseconds.
  var start: Int64
  var duration: Int64
  /// Lines of the file; empty ones do not belong to the text.
  var text: CueLines.Line = []
  var sideData: [UInt8] = []
}

/// A file of text with cues that is being read.
protocol CueFile {
  /// The muxer's part of the format; its first codec is that of the cues.
  associatedtype Format: SubtitleWriting
  static var magics: [FactoryDescription.Magic] { get }

  /// Returns a score for a file that starts with `bytes`, as `Demuxer.probe` defines.
  static func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int

  /// Throws `unsupported` or `malformed` if the lines are not those of such a file.
  init(_ lines: CueLines) throws(MediaError)
  /// Bytes before the first cue, for the track's extradata.
  var header: [UInt8] { get }
  /// Cues in the order of their starts.
  var cues: [Cue] { get }
  /// The first damage; the cues do not have what is damaged. `nil` if there is none.
  var damage: MediaError? { get }
  /// `true` if the file ends within a cue.
  var isCut: Bool { get }
}

/// A demuxer for files of text with cues.
///
/// Text stays in its encoding, except for UTF-16 and UTF-32. The host converts what is not UTF-8. A cue that ends at its
/// start lasts 1 ms, because a packet without a duration is shown until the next one.
final class CueDemuxer<File: CueFile>: Demuxer {
  static var description: FactoryDescription {
    var value = FactoryDescription(
      kind: .demuxer, name: File.Format.name, longName: File.Format.longName)
    value.extensions = File.Format.extensions
    value.mimeTypes = File.Format.mimeTypes
    value.codecs = [codec]
    value.magics = File.magics
    return value
  }

  private static var codec: String { File.Format.codecs.first ?? File.Format.name }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    File.score(bytes, name: name)
  }

  let media: MediaDescription
  private let cues: [Cue]
  private var next = 0
  /// Damage that has not been reported.
  private var damage: MediaError?
  /// Damage that is reported after the last cue.
  private var cut: MediaError?

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    let bytes = try source.readText()
    let lines = CueLines(bytes)
    let file = try File(lines)
    cues = file.cues
    damage = file.damage
    if damage == nil, let zero = lines.firstZero {
      damage = MediaError(
        .malformed, "bytes of zero in the text are left out", track: 0, offset: Int64(zero))
    }
    if file.isCut {
      cut = MediaError(
        .malformed, "the file ends within a cue", track: 0, offset: Int64(bytes.count),
        detail: .endsEarly)
    }
    let base = File.Format.timeBase
    var track = TrackDescription(kind: .subtitle, codec: Self.codec, timeBase: base)
    track.id = 1
    track.extradata = file.header
    track.start = cues.first?.start
    let end = cues.map { $0.start + $0.duration }.max()
    let first = cues.first?.start ?? 0
    track.duration = end.map { $0 - first }
    var media = MediaDescription(format: File.Format.name, tracks: [track])
    media.duration = end.map { base.convert($0, to: .nanoseconds) }
    self.media = media
  }

  func read() throws(MediaError) -> Packet? {
    if let damage {
      self.damage = nil
      throw damage
    }
    guard next < cues.count else {
      guard let cut else { return nil }
      self.cut = nil
      throw cut
    }
    let cue = cues[next]
    next += 1
    var text: [UInt8] = []
    var lines = CueLines(cue.text)
    while let line = lines.removeFirst() {
      if !line.isEmpty { text += (text.isEmpty ? [] : [10]) + line }
    }
    var packet = Packet(
      track: 0, pts: cue.start, dts: cue.start, duration: max(1, cue.duration), flags: .key,
      payload: .bytes(MediaBuffer(text)))
    packet.sideData = cue.sideData
    return packet
  }

  /// Seeks to the first cue that is shown at a time or after it, or to a cue before it.
  func seek(track: Int, to time: Int64) throws(MediaError) {
    let last = max(0, (cues.firstIndex { $0.start > time } ?? cues.count) - 1)
    let shown = cues.firstIndex { $0.start + $0.duration > time } ?? last
    next = min(shown, last)
  }
}

extension ByteSource {
  /// Reads a file of text; a feature film has about 100 KB.
  fileprivate func readText() throws(MediaError) -> [UInt8] {
    let largest = 64 << 20
    let bytes = (size ?? 0) > largest ? [] : try read(at: 0, count: largest + 1)
    guard (size ?? 0) <= largest, bytes.count <= largest else {
      throw MediaError(
        .limitExceeded,
        "the file has more than \(largest.counting("byte")), which text of subtitles has at most")
    }
    return bytes
  }
}
