import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Copies of clips through a writer, and the contents of files.
extension Writing {
  /// Returns the stored samples of a track, or references to them.
  static func stored(_ track: AssetTrack, asReferences: Bool = false) throws -> [SampleBuffer] {
    let asset = try #require(track.asset)
    let reader = try AssetReader(asset: asset)
    let output =
      asReferences
      ? AssetReaderSampleReferenceOutput(track: track)
      : AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return samples
  }

  /// Returns a pass-through input for the samples of a track.
  static func copyingInput(_ track: AssetTrack) -> AssetWriterInput {
    AssetWriterInput(
      mediaType: track.mediaType, settings: nil, sourceFormatHint: track.formatDescription)
  }

  /// Appends one sample to each input in turn, in the order given for the input.
  static func append(_ samples: [(AssetWriterInput, [SampleBuffer])]) throws {
    for number in 0..<(samples.map(\.1.count).max() ?? 0) {
      for (input, own) in samples where number < own.count {
        try #require(
          input.append(own[number]), "\(String(describing: input.writer?.error))")
      }
    }
  }

  /// Returns the frame hashes of ffmpeg: a line with times and hash for each video frame and each block of audio.
  static func frameHashes(_ path: String, input: [String] = []) throws -> [String] {
    let scratch = try Scratch()
    let output = scratch.path("out.framemd5")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + input
        + ["-i", path, "-map", "0", "-fps_mode", "passthrough", "-f", "framemd5", output])
    let text = try String(contentsOfFile: output, encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// Returns the contents of all boxes at a path, such as `moov/trak/tkhd`.
  static func boxes(_ path: String, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let names = path.split(separator: "/", maxSplits: 1).map(String.init)
    var found: [ArraySlice<UInt8>] = []
    var place = bytes.startIndex
    while place + 8 <= bytes.endIndex {
      var size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      var head = 8
      if size == 1 {
        size = bytes[place + 8..<place + 16].reduce(0) { $0 << 8 | Int($1) }
        head = 16
      }
      guard size >= head, place + size <= bytes.endIndex else { break }
      if String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) == names[0] {
        let content = bytes[(place + head)..<(place + size)]
        found += names.count > 1 ? boxes(names[1], in: content) : [content]
      }
      place += size
    }
    return found
  }

  /// Returns the chunk offsets of each track (ISO/IEC 14496-12 8.7.5).
  static func chunkOffsets(_ path: String) throws -> [[Int]] {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    return boxes("moov/trak/mdia/minf/stbl", in: bytes[...]).map { table in
      let large = boxes("co64", in: table).first
      guard let list = large ?? boxes("stco", in: table).first else { return [] }
      let width = large == nil ? 4 : 8
      return stride(from: list.startIndex + 8, to: list.endIndex, by: width).map { place in
        list[place..<place + width].reduce(0) { $0 << 8 | Int($1) }
      }
    }
  }
}
