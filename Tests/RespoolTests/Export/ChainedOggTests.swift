import Foundation
import ReadingFixtures
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Ogg files of chained streams, such as recordings of radio.
@Suite struct ChainedOggTests {
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

  /// Streams of a chain: sample rate, number of channels and seconds.
  private static let streams: [[(rate: Int, channels: Int, seconds: Double)]] = [
    [(16000, 1, 2), (48000, 2, 2)], [(48000, 2, 2), (16000, 1, 2)],
    [(44100, 1, 1.5), (48000, 2, 2), (44100, 6, 1)],
  ]

  /// Makes a stream of a tone, and returns its bytes and its audio at a rate and layout.
  private func stream(
    _ number: Int, _ stream: (rate: Int, channels: Int, seconds: Double), _ encoder: String,
    _ type: String
  ) throws -> String {
    let path = scratch.path("stream-\(number).\(type)")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i"]
        + ["sine=\(300 + 200 * number):duration=\(stream.seconds):sample_rate=\(stream.rate)"]
        + ["-ac", "\(stream.channels)", "-c:a", encoder]
        + (encoder == "libopus" ? ["-mapping_family", "1"] : []) + [path])
    return path
  }

  @Test(arguments: [("libvorbis", "ogg"), ("flac", "oga"), ("libopus", "opus")], streams.indices)
  func `streams of other rates and channels follow one another`(
    _ codec: (encoder: String, type: String), chain: Int
  ) throws {
    let paths = try Self.streams[chain].enumerated().map {
      try stream($0.offset, $0.element, codec.encoder, codec.type)
    }
    let path = scratch.path("chain.\(codec.type)")
    let bytes = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    try bytes.reduce(Data(), +).write(to: URL(fileURLWithPath: path))
    let wave = scratch.path("chain.wav")
    #expect(try Pipeline.export(path, "wav", to: wave).notes == [])
    let whole = try Pipeline.sound(wave, layout: .mono)
    // Each stream alone, resampled to the rate of the first one.
    var start = 0
    for path in paths {
      let alone = try Pipeline.sound(path, rate: whole.rate, layout: .mono).channels[0]
      let edge = whole.rate / 50
      let pairs = zip(
        whole.channels[0].dropFirst(start + edge), alone.dropFirst(edge).dropLast(edge))
      let worst = pairs.map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 0.02, "\(path) from \(start)")
      start += alone.count
    }
    #expect(abs(whole.channels[0].count - start) <= paths.count)
    let stated = try #require(try media(path).duration)
    // A page may state a few more samples than its packets have.
    #expect(abs(Double(stated) / 1e9 - Double(start) / Double(whole.rate)) < 0.004)
  }

  /// Seeking opens the stream of the chain that has the time.
  @Test(arguments: [("libvorbis", "ogg"), ("flac", "oga")])
  func `a part of a later stream is read`(encoder: String, type: String) throws {
    let paths = try Self.streams[0].enumerated().map {
      try stream($0.offset, $0.element, encoder, type)
    }
    let path = scratch.path("chain.\(type)")
    let bytes = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    try bytes.reduce(Data(), +).write(to: URL(fileURLWithPath: path))
    var options = EditOptions()
    (options.start, options.end) = (
      MediaTime(value: 3, timescale: 1), MediaTime(value: 7, timescale: 2)
    )
    let session = try options.makeSession(
      for: Asset(path: path, registry: Pipeline.registry), preset: try Pipeline.preset("wav"),
      registry: Pipeline.registry)
    _ = try session.exportAndWait(to: scratch.path("part.wav"))
    let part = try Pipeline.sound(scratch.path("part.wav"), layout: .mono)
    #expect(abs(part.channels[0].count - part.rate / 2) <= 1)
    let alone = try Pipeline.sound(paths[1], rate: part.rate, layout: .mono).channels[0]
    let edge = part.rate / 50
    let pairs = zip(
      part.channels[0].dropFirst(edge).dropLast(edge), alone.dropFirst(part.rate + edge))
    #expect(pairs.map { abs($0 - $1) }.max() ?? 1 < 0.02)
  }

  @Test(arguments: [("libvorbis", "ogg"), ("flac", "oga"), ("libopus", "opus")])
  func `damage between streams is reported`(encoder: String, type: String) throws {
    let paths = try (0..<2).map { try stream($0, (48000, 1, 2), encoder, type) }
    let bytes = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    let path = scratch.path("chain.\(type)")
    func damage(_ first: Data, _ second: Data) throws -> [String] {
      try (first + second).write(to: URL(fileURLWithPath: path))
      try? FileManager.default.removeItem(atPath: scratch.path("chain.wav"))
      return try Pipeline.export(path, "wav", to: scratch.path("chain.wav")).losses
        .filter { $0.contains("damaged") }
    }
    #expect(try damage(bytes[0], bytes[1]) == [])
    let cut = try damage(bytes[0].dropLast(bytes[0].count / 3), bytes[1])
    // A stream of one page of audio has none after the cut.
    let words = ["ends early", "cannot be read"]
    #expect(cut.contains { note in words.contains { note.contains($0) } }, "\(cut)")
    // The second stream has no first page.
    var headless = bytes[1]
    headless[headless.startIndex] = 0
    let left = try damage(bytes[0], headless)
    #expect(left.contains { $0.contains("has no first page") }, "\(left)")
  }
}
