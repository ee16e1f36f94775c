import Foundation
import Testing

/// Streams that are chained in one Ogg file (RFC 3533 4), of which every audio sample is converted.
@Suite struct ChainedOggTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  /// Makes a file of two streams with the given numbers of samples.
  private func makeChain(_ codec: String, rate: Int, _ lengths: [Int]) throws -> String {
    var bytes = Data()
    for (index, length) in lengths.enumerated() {
      let part = folder("part\(index).ogg")
      try ffmpeg([
        "-f", "lavfi", "-i", "sine=\(440 + 220 * index):r=\(rate):d=60",
        "-af", "atrim=end_sample=\(length)", "-c:a", codec, part,
      ])
      bytes += try Data(contentsOf: URL(fileURLWithPath: part))
    }
    try bytes.write(to: URL(fileURLWithPath: folder("chain.ogg")))
    return folder("chain.ogg")
  }

  /// Returns the number of audio samples, which ffmpeg decodes.
  private func sampleCount(_ file: String) throws -> Int {
    try ffmpeg(["-i", file, "-f", "s16le", "-ac", "1", folder("pcm")])
    return try Data(contentsOf: URL(fileURLWithPath: folder("pcm"))).count / 2
  }

  private static let outputs: [(codec: String, preset: String, name: String)] = [
    "libopus", "libvorbis", "flac",
  ].flatMap { codec in
    [
      ("opus-128k", "a.opus"), ("flac", "a.flac"), ("wav", "a.wav"), ("mp3-v2", "a.mp3"),
      ("remux-mkv", "a.mkv"), ("vorbis-160k", "a.ogg"),
    ].map { (codec, $0.0, $0.1) }
  }

  @Test(arguments: outputs) func `all audio samples of chained streams are converted`(
    _ output: (codec: String, preset: String, name: String)
  ) throws {
    // The first one has a single page of audio, the second several.
    let rate = output.codec == "libopus" ? 48000 : 44100
    let lengths = [rate + 133, rate * 3 + 77]
    let source = try makeChain(output.codec, rate: rate, lengths)
    let result = try Respool.run(
      "convert", source, folder(output.name), "--preset", output.preset)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("packet"), "\(result.errors)")
    var made = folder(output.name)
    if output.name == "a.ogg" {
      // ffmpeg does not trim the ends of chained Vorbis streams.
      made = folder("b.wav")
      let result = try Respool.run("convert", folder("a.ogg"), made, "--preset", "wav")
      #expect(result.status == 0, "\(result.errors)")
    }
    let total = lengths.reduce(0, +)
    let expected =
      output.preset == "opus-128k" ? Int((Double(total) * 48000 / Double(rate)).rounded()) : total
    #expect(abs(try sampleCount(made) - expected) <= (rate == 48000 ? 0 : 1))
  }

  @Test(arguments: [("libopus", "a.opus", "opus-128k"), ("libvorbis", "a.ogg", "vorbis-160k")])
  func `copied streams stay chained, with their hidden parts`(
    codec: String, name: String, preset: String
  ) throws {
    let source = try makeChain(codec, rate: 48000, [100_000, 150_000])
    #expect(
      try Respool.run("convert", source, folder(name), "--preset", preset).status == 0)
    func packets(_ file: String) throws -> [Substring] {
      try Respool.run("hash", file, "--packets").output.split(separator: "\n")
        .filter { !$0.hasPrefix("#") }
    }
    let copied = try packets(folder(name))
    #expect(try copied == packets(source) && copied.count > 200)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder(name)))
    let streams = bytes.indices.dropLast(6).filter {
      bytes[$0...].starts(with: Data("OggS".utf8)) && bytes[$0 + 5] == 2
    }
    #expect(streams.count == 2)
  }
}
