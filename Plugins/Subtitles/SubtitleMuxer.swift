import RespoolPlugin

/// A muxer for files with the subtitles of one track.
final class SubtitleMuxer<File: SubtitleWriting>: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: File.name, longName: File.longName)
    description.tier = .preferred
    description.extensions = File.extensions
    description.mimeTypes = File.mimeTypes
    description.codecs = File.codecs
    description.flags = [.needsBytes, .variableFrameRate]
    return description
  }

  private let sink: ByteSink
  private var file: File

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    guard media.tracks.count == 1, let track = media.tracks.first else {
      throw MediaError(
        .unsupported, "\(media.tracks.count.counting("track")); \(File.name) takes exactly one")
    }
    try Self.check(track)
    self.sink = sink
    file = try File(track)
    let head = file.head
    if !head.isEmpty { try sink.write(head) }
  }

  func timeBase(ofTrack track: Int) -> Rational { File.timeBase }

  func write(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "\(File.name) needs the bytes of a packet, not a range")
    }
    let event = SubtitleEvent(
      start: max(0, packet.pts ?? 0), end: max(0, (packet.pts ?? 0).addingClamped(packet.duration)),
      bytes: Array(buffer.readOnly), sideData: packet.sideData)
    let bytes = try file.add(event)
    if !bytes.isEmpty { try sink.write(bytes) }
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let bytes = try file.finish()
    if !bytes.isEmpty { try sink.write(bytes) }
  }
}

/// An event of a track of subtitles.
struct SubtitleEvent {
  /// Times in the unit of the file.
  let start: Int64
  let end: Int64
  let bytes: [UInt8]
  /// Settings, identifier and comments of a cue of WebVTT, one line each.
  let sideData: [UInt8]

  /// Lines of the text without zero bytes and carriage returns.
  ///
  /// An empty line within the text would end the event in SubRip and WebVTT, so that it gets a no-break space.
  var lines: [String] {
    let text = String(decoding: bytes.prefix { $0 != 0 }.filter { $0 != 13 }, as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
    while lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
    return lines.map { $0.isEmpty ? "\u{A0}" : $0 }
  }

  /// Returns a time of milliseconds as hours, minutes, seconds and milliseconds.
  static func clock(_ milliseconds: Int64, _ point: String) -> String {
    func pad(_ value: Int64, _ digits: Int) -> String {
      let text = "\(value)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let seconds = milliseconds / 1000
    return pad(seconds / 3600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2)
      + point + pad(milliseconds % 1000, 3)
  }
}

/// A file of subtitles that is being written.
protocol SubtitleWriting {
  static var name: String { get }
  static var longName: String { get }
  static var extensions: [String] { get }
  static var mimeTypes: [String] { get }
  static var codecs: [String] { get }
  /// Unit of the times in the file; finer times are rounded to it.
  static var timeBase: Rational { get }

  init(_ track: TrackDescription) throws(MediaError)
  /// Bytes before the first event.
  var head: [UInt8] { get }
  /// Returns the bytes of an event.
  mutating func add(_ event: SubtitleEvent) throws(MediaError) -> [UInt8]
  /// Returns the bytes after the last event.
  mutating func finish() throws(MediaError) -> [UInt8]
}

extension SubtitleWriting {
  var head: [UInt8] { [] }
  mutating func finish() throws(MediaError) -> [UInt8] { [] }
}
