import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Captions for tests, files with captions, and FFmpeg's output for these files.
enum Captions {
  /// Returns a time range.
  ///
  /// Both times are in milliseconds.
  static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  static func caption(_ text: String, _ start: Int64, _ end: Int64) -> Caption {
    Caption(text, timeRange: range(start, end))
  }

  /// A caption with bold, italic, underlined and colored words, and a character outside the BMP.
  static var styled: Caption {
    var caption = caption("bold slanted lined red 🎬 end", 500, 1500)
    let words = caption.text.split(separator: " ").map { $0.startIndex..<$0.endIndex }
    caption.setFontWeight(.bold, in: words[0])
    caption.setFontStyle(.italic, in: words[1])
    caption.setDecoration(.underline, in: words[2])
    caption.setTextColor(VideoColor(red: 1, green: 0, blue: 0), in: words[3])
    caption.setFontWeight(.bold, in: words[4])
    caption.setFontStyle(.italic, in: words[4])
    return caption
  }

  /// Writes captions into a file without other tracks, and returns its path.
  static func write(
    _ scratch: Scratch, _ name: String, _ container: String, _ codec: String,
    _ body: (AssetWriterInputCaptionAdaptor) throws -> Void
  ) throws -> String {
    let writer = try Writing.writer(scratch, name, container)
    let input = AssetWriterInput(
      mediaType: .subtitle, settings: nil, sourceFormatHint: FormatDescription(subtitles: codec))
    try Writing.start(writer, [input])
    try body(AssetWriterInputCaptionAdaptor(assetWriterInput: input))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  /// Returns all caption groups of a file's first text track.
  static func groups(_ path: String, in range: TimeRange? = nil) throws -> [CaptionGroup] {
    let asset = Asset(path: path, registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    if let range { reader.timeRange = range }
    let track = try #require(try asset.tracks(withMediaType: .subtitle).first)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    let adaptor = AssetReaderOutputCaptionAdaptor(assetReaderTrackOutput: output)
    try #require(reader.startReading())
    var groups: [CaptionGroup] = []
    while let group = adaptor.nextCaptionGroup() { groups.append(group) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return groups
  }

  /// The content of a file of subtitles that the plugin Subtitles reads.
  struct File {
    var header = ""
    /// A line for each cue: start, duration, side data and text.
    var cues: [String] = []
    var damage: [MediaError] = []
    var duration: Int64?
  }

  /// Reads bytes as a file with this name.
  static func read(_ scratch: Scratch, _ name: String, _ bytes: [UInt8]) throws -> File {
    let path = scratch.path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let demuxer = try Pipeline.registry.openDemuxer(FileSource(path: path))
    #expect(demuxer.factory.plugin.name == "Subtitles")
    var file = File()
    var reader = DamageTolerantReader(demuxer)
    while let packet = try reader.next(note: { file.damage.append($0) }) {
      let text = String(decoding: packet.buffer.map { Array($0.readOnly) } ?? [], as: UTF8.self)
      let data = String(decoding: packet.sideData, as: UTF8.self)
      file.cues.append("\(packet.pts ?? -1) \(packet.duration) [\(data)] \(text)")
    }
    file.header = String(decoding: demuxer.media.tracks[0].extradata, as: UTF8.self)
    file.duration = demuxer.media.duration
    return file
  }

  /// Runs FFmpeg and returns its output.
  ///
  /// Records an issue if FFmpeg fails or prints a warning.
  static func ffmpeg(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-v", "warning"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: complaints, as: UTF8.self))")
    #expect(complaints.isEmpty, "\(String(decoding: complaints, as: UTF8.self))")
    return String(decoding: text, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
      .trimmingCharacters(in: .newlines)
  }

  /// Returns a file's first text track as SubRip, converted by FFmpeg.
  static func subRip(_ path: String) throws -> String {
    try ffmpeg(["-i", path, "-map", "0:s:0", "-f", "srt", "-"])
  }

  /// Writes text into a file and returns its path.
  static func file(_ scratch: Scratch, _ name: String, _ text: String) throws -> String {
    try text.write(toFile: scratch.path(name), atomically: true, encoding: .utf8)
    return scratch.path(name)
  }
}
