import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Ogg files of chained Vorbis streams, such as recordings of radio.
@Suite struct ChainedVorbisTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Chains two tones of two seconds.
  ///
  /// `options` are encoder options of the second one.
  private func chain(_ options: String...) throws -> String {
    func tone(_ name: String, _ frequency: Int, _ options: [String]) throws -> Data {
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-f", "lavfi", "-i", "sine=\(frequency):duration=2:sample_rate=44100"]
          + ["-c:a", "libvorbis"] + options + [scratch.path(name)])
      return try Data(contentsOf: URL(fileURLWithPath: scratch.path(name)))
    }
    let path = scratch.path("chain.ogg")
    let bytes = try tone("a.ogg", 500, ["-q:a", "2"]) + tone("b.ogg", 1000, options)
    try bytes.write(to: URL(fileURLWithPath: path))
    return path
  }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  /// Returns the zero crossings in each half second: twice the frequency of the tone times the duration.
  private func crossings(_ path: String) throws -> [Int] {
    let wave = scratch.path("\(PathName.last(path)).wav")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-xerror", "-i", path, "-ac", "1", "-ar", "44100", wave])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: wave)))
    let samples = stride(from: bytes.count % 2 + 78, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
    return stride(from: 0, to: samples.count - 22_050, by: 22_050).map { start in
      zip(samples[start..<start + 22_050], samples[(start + 1)..<start + 22_051])
        .count { ($0 < 0) != ($1 < 0) }
    }
  }

  private func expectTones(_ path: String) throws {
    let found = try crossings(path)
    #expect(found.count >= 7, "\(found)")
    for (index, wanted) in [500, 500, 500, 500, 1000, 1000, 1000].enumerated() {
      // Skips the half seconds on both sides of the join, which contain the edges of the encoded tones.
      guard found.indices.contains(index), index != 3, index != 4 else { continue }
      #expect(abs(found[index] - wanted) < 25, "\(index): \(found)")
    }
  }

  @Test func `streams of a truncated file are known`() throws {
    let path = try chain("-q:a", "9")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try media(path).tracks[0].furtherSampleDescriptions.count == 1)
    try whole.dropLast(100).write(to: URL(fileURLWithPath: path))
    #expect(try media(path).tracks[0].furtherSampleDescriptions.count == 1)
  }

  /// The file's tags are those of its first stream; the report lists the others as lost.
  @Test(arguments: [("libvorbis", "ogg"), ("libopus", "opus")])
  func `tags of further streams are named`(encoder: String, type: String) throws {
    func stream(_ name: String, _ title: String) throws -> Data {
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-f", "lavfi", "-i", "sine=duration=1:sample_rate=48000", "-c:a", encoder]
          + ["-metadata", "title=\(title)", scratch.path(name)])
      return try Data(contentsOf: URL(fileURLWithPath: scratch.path(name)))
    }
    let path = scratch.path("tags.\(type)")
    let bytes = try stream("one.\(type)", "One") + stream("two.\(type)", "Two")
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("tags.mkv"))
    #expect(
      report.losses == ["lost: the tags of the streams after the first one"])
  }

  /// Streams with the same encoder and settings are copied.
  ///
  /// Their header packets are not copied as audio.
  @Test func `streams of one kind are copied`() throws {
    let source = try chain("-q:a", "2")
    #expect(abs(Double(try media(source).duration ?? 0) / 1e9 - 4) < 0.01)
    let report = try Pipeline.export(source, "remux-mkv", to: scratch.path("a.mkv"))
    #expect(report.isCopy && report.losses == [], "\(report.losses)")
    try expectTones(scratch.path("a.mkv"))
  }

  @Test(arguments: [["-q:a", "9"], ["-ac", "2"], ["-ar", "22050"]])
  func `streams of other kinds are decoded`(options: [String]) throws {
    let source = try chain(options[0], options[1])
    let described = try media(source)
    #expect(abs(Double(described.duration ?? 0) / 1e9 - 4) < 0.01)
    #expect(described.tracks[0].sampleDescriptions.count == 2)
    for (preset, name) in [("remux-mkv", "a.mkv"), ("wav", "a.wav"), ("opus-128k", "a.opus")] {
      let report = try Pipeline.export(source, preset, to: scratch.path(name))
      #expect(!report.isCopy)
      try expectTones(scratch.path(name))
      let seconds = Double(try media(scratch.path(name)).duration ?? 0) / 1e9
      #expect(abs(seconds - 4) < 0.05, "\(name): \(seconds)")
    }
  }
}
