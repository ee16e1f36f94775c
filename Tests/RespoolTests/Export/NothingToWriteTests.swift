import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Errors for sources without media to write.
@Suite struct NothingToWrite {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func refusal(_ input: String, _ preset: String, in range: TimeRange? = nil) throws
    -> MediaError?
  {
    let session = try ExportSession(
      input: input, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 1)
    if let range { session.timeRange = range }
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("out"))
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
    return error
  }

  @Test(arguments: ["web-480p", "remux-mp4"])
  func `a part before the first frame is reported to have none`(preset: String) throws {
    let source = scratch.path("source.mp4")
    // Video begins at 10 s, after an empty edit.
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-itsoffset", "10", "-i", Pipeline.clip("pattern-h264.mp4"), "-map", "0:v"]
        + ["-c", "copy", source])
    let part = TimeRange(
      start: MediaTime(value: 51, timescale: 100), end: MediaTime(value: 126, timescale: 100))
    let error = try #require(try refusal(source, preset, in: part))
    #expect(error.message.contains("no video from 0.51 s to 1.26 s"), "\(error.message)")
  }

  @Test func `FLAC that libavformat does not recognize is reported as such`() throws {
    var bytes = try Data(contentsOf: URL(filePath: Pipeline.clip("speech-flac.flac")))
    // States 32 bits per audio sample in STREAMINFO (RFC 9639 8.2) and in the fourth byte of each frame (9.1.4).
    bytes[20] = bytes[20] | 1
    bytes[21] = bytes[21] | 0xF0
    var place = 42
    while place + 5 < bytes.count {
      if bytes[place] == 0xFF, bytes[place + 1] & 0xFE == 0xF8 { bytes[place + 3] |= 0x0E }
      place += 1
    }
    try bytes.write(to: URL(filePath: scratch.path("deep.flac")))
    let error = try #require(try refusal(scratch.path("deep.flac"), "wav"))
    #expect(error.message.contains("FLAC of 32 bits"), "\(error.message)")
  }

  @Test func `a file without a packet is reported to have none`() throws {
    var header = Array(".snd".utf8)
    for word in [24, 0, 3, 8000, 2] as [UInt32] {
      header += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    try Data(header).write(to: URL(filePath: scratch.path("empty.au")))
    let error = try #require(try refusal(scratch.path("empty.au"), "wav"))
    #expect(error.message.contains("no packet of pcm_s16be"), "\(error.message)")
  }
}
