import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolVerifier

/// A plugin in a separate folder, as `respool plugins new` creates it.
@Suite struct OutOfTreePlugin {
  private let fixtures: PluginWorkshop

  init() throws { fixtures = try PluginWorkshop() }

  /// Plugins in Swift share a folder of built files, so that the SDK is built once.
  private static let swiftBuild: [String] = {
    let folder = PluginWorkshop.package.appending(path: ".build/templates").path
    return [
      "CONFIGURATION=debug", "BUILD=\(folder)/debug", "SWIFTFLAGS=-j 2 --scratch-path \(folder)",
    ]
  }()

  private static let command = (Installation.folder ?? "") + "/respool"

  /// Creates a plugin, and returns its folder.
  private func create(
    _ name: String, _ kind: String, _ language: String, _ media: String = "audio"
  ) throws -> String {
    try PluginWorkshop.run(
      Self.command,
      [
        "plugins", "new", name, "--\(kind)", "--\(language)", "--\(media)", "--into",
        fixtures.path(""),
      ])
    return fixtures.path(name)
  }

  /// Creates and builds the plugin `class`, whose name is a keyword, and returns a registry that finds it.
  private func registry(_ language: String) throws -> PluginRegistry {
    let folder = try create("class", "decoder", language)
    try PluginWorkshop.run(
      "make", ["-C", folder, "install", "XDG_DATA_HOME=" + fixtures.path("")] + Self.swiftBuild)
    return fixtures.registry(["respool/plugins"])
  }

  private var track: TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "pcm_mulaw", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .stereo
    return track
  }

  private func packet(_ bytes: [UInt8], at time: Int64 = 0) -> Packet {
    Packet(track: 0, pts: time, dts: time, payload: .bytes(MediaBuffer(bytes)))
  }

  @Test(arguments: ["swift", "c", "cpp"])
  func `a plugin out of the tree is made, built against the SDK, listed, verified, and decodes`(
    language: String
  ) throws {
    let registry = try registry(language)
    let record = try #require(registry.plugins.first)
    #expect(record.status == .ok, "\(record.reason ?? "")")
    #expect(record.name == "class")
    #expect(PluginVerifier().verify(pluginAt: record.path).filter(\.failed) == [])

    let decoder = try registry.openDecoder(track, threads: 1)
    guard case .needsInput = try decoder.receive() else {
      Issue.record("something came out of nothing")
      return
    }
    #expect(try decoder.send(packet([0, 255, 1, 254], at: 7)) == .accepted)
    #expect(try decoder.send(packet([1, 2])) == .full)
    guard case .value(let frame) = try decoder.receive() else {
      Issue.record("a frame was expected")
      return
    }
    #expect(frame.pts == 7)
    #expect(frame.sampleCount == 2)
    #expect(frame.sampleFormat == .s16)
    #expect(frame.channelLayout == .stereo)
    let samples = (0..<4).map {
      frame.planes[0].base.load(fromByteOffset: $0 * 2, as: Int16.self)
    }
    #expect(samples == [-32124, 0, -31100, 8])

    let error = #expect(throws: MediaError.self) { try decoder.send(packet([1, 2, 3])) }
    #expect(error?.code == .malformed)
    #expect(try decoder.send(nil) == .accepted)
    guard case .end = try decoder.receive() else {
      Issue.record("not drained")
      return
    }
    decoder.flush()
    #expect(try decoder.send(packet([1, 2])) == .accepted)

    var wide = track
    wide.channelLayout = .standard(65)
    let refusal = #expect(throws: MediaError.self) { try registry.openDecoder(wide, threads: 1) }
    #expect(refusal?.code == .unsupported)
    var other = track
    other.codec = "opus"
    #expect(throws: MediaError.self) { try registry.openDecoder(other, threads: 1) }
  }

  private static let kinds = ["encoder", "decoder", "demuxer", "muxer", "filter"]

  @Test(arguments: kinds, ["c", "cpp"])
  func `a new plugin builds without a warning, passes every check and converts`(
    kind: String, language: String
  ) throws {
    let folder = try create("My\(kind)", kind, language)
    try PluginWorkshop.run("make", ["-C", folder, "CFLAGS=-O0 -Werror -pedantic"])
    try check(folder, kind)
  }

  private static let videoKinds = ["encoder", "decoder", "filter"]

  @Test(arguments: videoKinds, ["c", "cpp"])
  func `a new plugin for video builds without a warning, passes every check and converts`(
    kind: String, language: String
  ) throws {
    let folder = try create("My\(kind)", kind, language, "video")
    try PluginWorkshop.run("make", ["-C", folder, "CFLAGS=-O0 -Werror -pedantic"])
    try checkVideo(folder, kind)
  }

  @Test func `new plugins for video in Swift build, pass every check and convert`() throws {
    for kind in Self.videoKinds {
      let folder = try create("Video\(kind)", kind, "swift", "video")
      let log = try PluginWorkshop.run("make", ["-C", folder] + Self.swiftBuild)
      #expect(!log.contains("warning:"), "\(log)")
      try checkVideo(folder, kind)
    }
  }

  /// Verifies a plugin for video, converts its sample, and compares the output with what FFmpeg reads.
  private func checkVideo(_ folder: String, _ kind: String) throws {
    let log = try PluginWorkshop.run("make", ["-C", folder, "verify", "try"] + Self.swiftBuild)
    #expect(log.contains("checks passed") && !log.contains("FAIL"), "\(log)")
    let output = folder + (kind == "encoder" ? "/out.mov" : "/out.mkv")
    func pixels(of file: String) throws -> Data {
      let raw = folder + "/raw"
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-y", "-i", file, "-f", "rawvideo", "-pix_fmt", "yuv444p", raw])
      return try Data(contentsOf: URL(filePath: raw))
    }
    let (before, after) = (try pixels(of: folder + "/sample.mov"), try pixels(of: output))
    let plane = 30 * 22
    #expect(before.count == 4 * 3 * plane && after.count == before.count)
    let expected = before.enumerated().map { index, value in
      kind == "filter" && index / plane % 3 == 0 ? UInt8(clamping: Int(value) + 16) : value
    }
    #expect(Array(after) == expected)
    let codec = try PluginWorkshop.run(
      "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", output])
    #expect(codec == (kind == "encoder" ? "v308\n" : "ffv1\n"))
  }

  @Test func `the output of a try has the extension of the preset's container`() throws {
    let folder = try create("Mine", "encoder", "c")
    let preset = folder + "/preset.yaml"
    try String(contentsOfFile: preset, encoding: .utf8)
      .replacingOccurrences(of: "container: wav", with: "container: mov  # QuickTime")
      .write(toFile: preset, atomically: true, encoding: .utf8)
    try PluginWorkshop.run("make", ["-C", folder, "try"])
    let format = try PluginWorkshop.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "format=format_name", "-of", "csv=p=0", folder + "/out.mov"])
    #expect(format.contains("mov"))
  }

  @Test func `new plugins in Swift build, pass every check and convert`() throws {
    for kind in Self.kinds {
      let folder = try create("My\(kind)", kind, "swift")
      let log = try PluginWorkshop.run("make", ["-C", folder] + Self.swiftBuild)
      #expect(!log.contains("warning:"), "\(log)")
      try check(folder, kind)
    }
  }

  /// Verifies a plugin, converts its sample, and compares the output with what FFmpeg reads.
  private func check(_ folder: String, _ kind: String) throws {
    let log = try PluginWorkshop.run(
      "make", ["-C", folder, "verify", "try"] + Self.swiftBuild)
    #expect(log.contains("checks passed") && !log.contains("FAIL"), "\(log)")
    let sample = folder + (kind == "demuxer" ? "/sample.au" : "/sample.wav")
    let output = folder + (kind == "muxer" ? "/out.au" : "/out.wav")
    func samples(of file: String) throws -> [Int] {
      let raw = folder + "/raw"
      try PluginWorkshop.run("ffmpeg", ["-v", "error", "-y", "-i", file, "-f", "s16le", raw])
      let bytes = try Data(contentsOf: URL(filePath: raw))
      return stride(from: 0, to: bytes.count, by: 2).map {
        Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
      }
    }
    let (before, after) = (try samples(of: sample), try samples(of: output))
    let factor = kind == "filter" ? 0.5012 : 1  // -6 dB
    let tolerance = ["encoder", "muxer"].contains(kind) ? 300.0 : 1  // mu-law
    #expect(before.count == 2400 && after.count == before.count)
    #expect(zip(before, after).allSatisfy { abs(Double($0) * factor - Double($1)) <= tolerance })
    let codec = try PluginWorkshop.run(
      "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", output])
    #expect(codec == (["encoder", "muxer"].contains(kind) ? "pcm_mulaw\n" : "pcm_s16le\n"))
  }

  /// The example of the page WritingPlugins, whose function takes the place of the template's.
  @Test func `the encoder of the documentation is made from a template`() throws {
    let page = PluginWorkshop.package.appending(
      path: "Sources/Respool/Respool.docc/WritingPlugins.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let examples = Self.examples("cpp", of: text)
    let function = try #require(examples.first)
    let folder = try create("Law", "encoder", "cpp")
    let source = folder + "/plugin.cpp"
    let code = try String(contentsOfFile: source, encoding: .utf8)
    let start = try #require(code.range(of: "  static uint8_t encode(")).lowerBound
    let end = try #require(code.range(of: "\n  }\n", range: start..<code.endIndex)).upperBound
    try code.replacingCharacters(in: start..<end, with: function)
      .replacingOccurrences(of: "pcm_mulaw", with: "pcm_alaw")
      .write(toFile: source, atomically: true, encoding: .utf8)
    let preset = try String(contentsOfFile: folder + "/preset.yaml", encoding: .utf8)
    try preset.replacingOccurrences(of: "pcm_mulaw", with: "pcm_alaw")
      .write(toFile: folder + "/preset.yaml", atomically: true, encoding: .utf8)
    let log = try PluginWorkshop.run("make", ["-C", folder, "verify", "try"])
    #expect(log.contains("checks passed") && !log.contains("FAIL"), "\(log)")
  }

  /// Returns the code blocks of a language.
  private static func examples(_ language: String, of page: String) -> [String] {
    page.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  private static var page: String {
    get throws {
      try String(
        contentsOf: PluginWorkshop.package.appending(
          path: "Sources/Respool/Respool.docc/WritingPlugins.md"), encoding: .utf8)
    }
  }

  @Test func `the examples in C and C++ of the documentation compile without a warning`() throws {
    let flags = ["-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-fsyntax-only"]
    let page = try Self.page
    let examples = Self.examples("c", of: page).joined(separator: "\n")
    try fixtures.write("#include <respool/records.h>\n" + examples, as: "examples.c")
    try PluginWorkshop.run(
      "cc",
      ["-std=c11", "-I", PluginWorkshop.headers] + flags + [fixtures.path("examples.c")])
    let functions = Self.examples("cpp", of: page)
    let inClass = functions.filter { $0.hasPrefix("  ") }.joined()
    let alone = functions.filter { !$0.hasPrefix("  ") }.joined()
    try fixtures.write(
      "#include <respool/plugin.hpp>\nstruct Example {\n\(inClass)};\n\(alone)", as: "examples.cpp")
    try PluginWorkshop.run(
      "c++",
      ["-std=c++17", "-I", PluginWorkshop.headers] + flags + [fixtures.path("examples.cpp")])
  }

  /// Declarations on which others of the headers are built.
  private static let inner: Set<String> = [
    "rsp_block", "rsp_block_retain", "rsp_block_release", "rsp_format", "rsp_bad_record",
    "rsp_put_units", "rsp_take_unit",
  ]

  @Test func `each declaration of the SDK in C and C++ has an example`() throws {
    let templates = PluginWorkshop.package.appending(path: "Plugins/Template")
    var examples = (Self.examples("c", of: try Self.page) + Self.examples("cpp", of: try Self.page))
      .joined()
    let files = FileManager.default.enumerator(at: templates, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files)
    where ["c", "cpp"].contains(file.pathExtension) {
      examples += try String(contentsOf: file, encoding: .utf8)
    }
    let words = Set(examples.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    var names: [String] = []
    for header in ["helpers.h", "records.h", "plugin.hpp"] {
      let text = try String(
        contentsOfFile: PluginWorkshop.headers + "/respool/" + header, encoding: .utf8)
      let outside = text.components(separatedBy: "namespace detail {")
      let code =
        outside[0] + (outside.last?.components(separatedBy: "}  // namespace detail").last ?? "")
      for pattern in [
        #/(?m)^(?:__attribute__\(\(.*?\)\) )?static inline [^;{(]*?(\w+)\(/#,
        #/(?m)^\} (rsp_\w+);/#, #/(?m)^#define (RSP_\w+)/#, #/(?m)^class (\w+)/#,
        #/(?m)^(?:rsp_status|void|std::vector<uint8_t>) (\w+)\(/#,
        #/(?m)^template <class T> inline const \w+ (\w+) =/#,
      ] {
        names += code.matches(of: pattern).map { String($0.output.1) }
      }
    }
    #expect(names.count > 70)
    let missing = Set(names).subtracting(words).subtracting(Self.inner)
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test(.enabled(if: canRun("rustc")))
  func `a plugin in Rust with structs written by hand passes every check`() throws {
    let plugin = fixtures.path("librespool-rust.so")
    try PluginWorkshop.run(
      "rustc",
      [
        "--edition", "2021", "--crate-type", "cdylib", "-O", "-D", "warnings", "-o", plugin,
        PluginWorkshop.sources.appending(path: "rust.rs").path,
      ])
    let sample = PluginWorkshop.package.appending(path: "Plugins/Template/decoder/sample.wav").path
    let log = try PluginWorkshop.run(
      Self.command, ["plugins", "verify", plugin, "--sample", sample])
    #expect(log.contains("checks passed") && !log.contains("FAIL"), "\(log)")
  }

  private static func canRun(_ program: String) -> Bool {
    (try? PluginWorkshop.run(program, ["--version"])) != nil
  }
}
