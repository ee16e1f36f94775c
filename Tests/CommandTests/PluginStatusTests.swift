import Foundation
import Testing

/// Statuses that functions of a plugin return, and the exit status of the command.
///
/// The table of the page WritingPlugins states what is expected here.
@Suite struct PluginStatusTests {
  private let folder = TemporaryFolder()

  init() throws {
    var file = Data("TOYREEL1".utf8)
    func append(_ value: UInt32) {
      withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
    }
    append(8000)
    append(1)
    for packet in 0..<20 {
      append(400)
      file.append(contentsOf: (0..<400).map { UInt8(truncatingIfNeeded: $0 &* packet) & 0x3F })
    }
    try file.write(to: URL(filePath: folder("in.toy")))
    try folder.write(
      "container: toy\naudio:\n  codec: toy_pcm\n  passthrough: never\n  filters: [toy_pass]\n",
      as: "toy.yaml")
    try folder.write(
      "container: toy\naudio:\n  codec: toy_pcm\n  passthrough: never\n  options: {level: 3}\n",
      as: "level.yaml")
  }

  /// Converts with the plugin `toy`, of which `function` returns `status` from call `first` to call `last`.
  private func convert(
    _ function: String, _ status: String, _ first: Int = 1, _ last: Int = 1_000_000,
    preset: String = "toy.yaml"
  ) throws -> Respool.Result {
    let plugin = try CPlugin(
      "toy.c",
      defining: [
        "WITH_FILTER", "FAILS_IN=\"\(function)\"", "FAILS_WITH=\(status)", "FAILS_FROM=\(first)",
        "FAILS_UNTIL=\(last)",
      ])
    return try Running(
      [
        Respool.executable, "convert", folder("in.toy"), folder("out.toy"), "--preset",
        folder(preset),
        "--replace",
      ], environment: Respool.environment + plugin.environment, folder: nil
    ).wait()
  }

  private static let functions = [
    "toy_demux_open", "toy_select", "toy_read", "toy_decode_open", "toy_decode_send",
    "toy_decode_receive",
    "toy_filter_open", "toy_filter_send", "toy_filter_receive", "toy_encode_open",
    "toy_encode_send",
    "toy_encode_receive", "toy_supports", "toy_mux_open", "toy_write", "toy_finish",
  ]

  /// Neither the user's arguments are wrong, nor has the user stopped the command.
  @Test(
    arguments: functions,
    [
      "RSP_ERROR_ARGUMENT", "RSP_ERROR_CANCELLED", "RSP_ERROR_IO", "RSP_ERROR_UNSUPPORTED",
      "RSP_ERROR_PLUGIN", "7",
    ])
  func `a failed function of a plugin fails the file with status 1`(
    function: String, status: String
  ) throws {
    let result = try convert(function, status)
    #expect(result.status == 1, "\(result.errors)")
    let message = status == "7" ? "returned the unknown status 7" : "a test wants this"
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("out.toy")))
  }

  @Test func `an option that an encoder rejects is an error of the user`() throws {
    let result = try convert("toy_encode_open", "RSP_ERROR_ARGUMENT", preset: "level.yaml")
    #expect(result.status == 2, "\(result.errors)")
  }

  /// One call fails; the next one succeeds.
  @Test(arguments: [
    ("toy_read", "RSP_ERROR_MALFORMED", "the file is damaged"),
    ("toy_read", "RSP_ERROR_LIMIT", "the file is damaged"),
    ("toy_decode_send", "RSP_ERROR_MALFORMED", "1 packet could not be decoded"),
    ("toy_decode_send", "RSP_ERROR_PLUGIN", "1 packet could not be decoded"),
    ("toy_decode_send", "RSP_ERROR_CANCELLED", "1 packet could not be decoded"),
    ("toy_decode_receive", "RSP_ERROR_IO", "1 packet could not be decoded"),
  ])
  func `damage is passed over and reported`(function: String, status: String, words: String) throws
  {
    let result = try convert(function, status, 3, 3)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(arguments: [
    "RSP_ERROR_IO", "RSP_ERROR_UNSUPPORTED", "RSP_ERROR_PLUGIN", "RSP_ERROR_ARGUMENT", "RSP_AGAIN",
  ])
  func `other errors of read fail the file at once`(status: String) throws {
    #expect(try convert("toy_read", status, 3, 3).status == 1)
  }

  @Test func `a file ends after 16 errors of read in a row`() throws {
    // The input is read first; the output is read back by the same plugin.
    let short = try convert("toy_read", "RSP_ERROR_MALFORMED", 3, 18)
    #expect(short.status == 0, "\(short.errors)")
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: folder("out.toy"))[.size] as? Int)
    #expect(size < 2000)
    let whole = try convert("toy_read", "RSP_ERROR_MALFORMED", 3, 17)
    #expect(whole.status == 0, "\(whole.errors)")
  }

  @Test func `explain, validate and a batch reject the settings that an encoder rejects`() throws {
    let plugin = try CPlugin(
      "toy.c", defining: ["FAILS_IN=\"toy_encode_open\"", "FAILS_WITH=RSP_ERROR_ARGUMENT"])
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.write("container: toy\naudio:\n  codec: toy_pcm\n  bitrate: 64k\n", as: "rate.yaml")
    func run(_ arguments: [String]) throws -> Respool.Result {
      try Running(
        [Respool.executable] + arguments, environment: Respool.environment + plugin.environment,
        folder: nil
      ).wait()
    }
    let (preset, reason) = (folder("rate.yaml"), "a test wants this")
    let validated = try run(["presets", "validate", preset])
    #expect(validated.status == 1 && validated.output.contains(reason), "\(validated)")
    let explained = try run(["presets", "explain", preset, folder("in/speech.wav")])
    #expect(explained.status == 2 && explained.errors.contains(reason), "\(explained)")
    let batch = try run([
      "batch", folder("in"), "--to", folder("out"), "--preset", preset, "--dry-run",
    ])
    #expect("\(batch.output)\(batch.errors)".contains(reason), "\(batch)")
  }

  @Test(arguments: [("400k", 0), ("600k", 1)])
  func `validate checks a bit rate with two channels`(rate: String, status: Int32) throws {
    try folder.write("container: ogg\naudio: {codec: opus, bitrate: \(rate)}\n", as: "opus.yaml")
    let result = try Respool.run("presets", "validate", folder("opus.yaml"))
    #expect(result.status == status, "\(result)")
  }
}
