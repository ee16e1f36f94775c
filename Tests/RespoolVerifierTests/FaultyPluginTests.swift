import Foundation
import RespoolHost
import RespoolVerifier
import TestFixtures
import Testing

/// A bug of a fixture, with the check that must find it and words of the reason.
struct Bug: CustomTestStringConvertible, Sendable {
  let name: String
  /// Factory that has the bug.
  let subject: String
  let check: String
  let words: String
  /// Macros with which the fixture is compiled, beside the bug.
  let macros: [String]

  init(
    _ name: String, _ subject: String, _ check: String, _ words: String, macros: [String] = []
  ) {
    (self.name, self.subject, self.check, self.words) = (name, subject, check, words)
    self.macros = macros
  }

  var testDescription: String { name }

  /// Seconds for a check: a bug that hangs must not take long, others get time on a busy machine.
  var timeLimit: Double { name.hasPrefix("hang") ? 2 : 30 }

  /// Returns the path of the C plugin that has the bug.
  func build(in workshop: PluginWorkshop, defining more: [String] = []) throws -> String {
    try workshop.build("faulty.c", defining: ["BUG=\(name)"] + macros + more, as: "faulty.so")
  }

  /// Expects that one failure names the check and the reason.
  func expect(in results: [CheckResult]) {
    let failures = results.filter(\.failed)
    #expect(failures.map(\.name) == ["\(subject): \(check)"], "\(failures)")
    #expect(failures.first?.detail.contains(words) == true, "\(failures.map(\.detail))")
  }
}

/// The verifier with plugins that have one bug each.
@Suite struct FaultyPlugin {
  @Test func `a correct C plugin with all kinds of factories passes`() throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build("faulty.c", as: "faulty.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    #expect(results.count > 130)
  }

  @Test(arguments: encoderBugs + audioBugs + recordBugs + decoderBugs + containerBugs)
  func `each bug of the C plugin is found and named once`(bug: Bug) throws {
    let workshop = try PluginWorkshop()
    let path = try bug.build(in: workshop)
    var verifier = PluginVerifier(timeLimit: bug.timeLimit)
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: path))
  }

  @Test(arguments: sampleBugs)
  func `each bug of a demuxer is found in a file of another program`(bug: Bug) throws {
    let workshop = try PluginWorkshop()
    let path = try bug.build(in: workshop)
    var verifier = PluginVerifier(
      samples: [try FaultySample.write(in: workshop)], timeLimit: bug.timeLimit)
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: path))
  }

  @Test(arguments: peerBugs)
  func `what another demuxer reads otherwise is found`(bug: Bug) throws {
    try checkWithPeer(bug, sample: "clap-and-flash.mp4")
  }

  @Test(arguments: peerSampleBugs)
  func `audio samples that another demuxer reads otherwise are found`(bug: Bug) throws {
    try checkWithPeer(bug, sample: "speech.wav")
  }

  private func checkWithPeer(_ bug: Bug, sample: String) throws {
    let workshop = try PluginWorkshop()
    let path = try bug.build(in: workshop)
    var verifier = PluginVerifier(
      samples: [try FaultySample.write(sample, in: workshop)], timeLimit: bug.timeLimit)
    verifier.subjects = [bug.subject]
    verifier.environment = [try Self.peer(in: workshop)]
    bug.expect(in: verifier.verify(pluginAt: path))
  }

  /// Builds a correct plugin that reads the same files, and returns the variable that adds it to the search path.
  private static func peer(in workshop: PluginWorkshop) throws -> String {
    let folder = URL(filePath: workshop.path("peers"))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try workshop.build(
      "faulty.c", defining: ["DEMUXER_ONLY", "CARRIES_AAC", "PLUGIN_NAME=\"peer\""],
      as: "peers/peer.so")
    return "RESPOOL_PLUGIN_PATH=\(folder.path)"
  }

  @Test(arguments: ["clap-and-flash.mp4", "speech.wav"])
  func `a demuxer that agrees with another one passes, and one without another one is skipped`(
    media: String
  ) throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build(
      "faulty.c", defining: ["DEMUXER_ONLY", "CARRIES_AAC"], as: "faulty.so")
    var verifier = PluginVerifier(
      samples: [try FaultySample.write(media, in: workshop)], timeLimit: 30)
    func result() throws -> CheckResult {
      let results = verifier.verify(pluginAt: path)
      #expect(results.filter(\.failed) == [])
      return try #require(results.first { $0.name.hasSuffix("another demuxer") })
    }
    let alone = try result()
    #expect(alone.outcome == .skipped)
    #expect(alone.detail.contains("no other plugin reads the file"))
    verifier.environment = [try Self.peer(in: workshop)]
    let compared = try result()
    #expect(compared.passed)
    #expect(compared.detail.hasPrefix("peer reads the same: "))
  }

  /// Without a decoder, the content of packets is not known.
  @Test func `checks that compare nothing are skipped with the reason`() throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build("faulty.c", defining: ["ENCODERS_ONLY"], as: "faulty.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    func expect(_ outcome: CheckResult.Outcome, _ checks: [String], _ words: String) {
      for check in checks {
        let result = results.first { $0.name == "encoder \(check)" }
        #expect(result?.outcome == outcome, "\(check): \(result as Any)")
        #expect(result?.detail.contains(words) == true, "\(check): \(result as Any)")
      }
    }
    let (video, audio) = ("faulty_video: faulty_video", "faulty_audio: faulty_audio")
    expect(
      .skipped,
      [
        "\(video) from yuv420p", "\(video): content", "\(video): 65x49 pixels",
        "\(audio) from s16", "\(audio): content", "\(audio): every frame",
        "\(audio): short last frame",
      ], "not compared: no plugin decodes faulty_")
    expect(
      .skipped, ["\(video): configuration record"],
      "does not know the configuration record of faulty_video, of 16 bytes")
    expect(.passed, ["\(video): every frame"], "72 packets")
    expect(.passed, ["\(video): forced key frames"], "8 are key frames")
    expect(.passed, ["\(video): padded rows"], "the same packets")
  }

  @Test(arguments: [
    ("anextensionof23letterss", "has 23 characters"), ("a/b", "has other characters"),
  ])
  func `a muxer's extension must name files`(fileExtension: String, words: String) throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build(
      "faulty.c", defining: ["CONTAINER_EXTENSION=\"\(fileExtension)\""], as: "faulty.so")
    var verifier = PluginVerifier(timeLimit: 30)
    verifier.subjects = []
    let failures = verifier.verify(pluginAt: path).filter(\.failed)
    #expect(failures.map(\.name) == ["muxer faulty: lists"])
    #expect(failures.first?.detail.contains("\(words); it must have at most 16 letters") == true)
  }

  @Test func `a correct demuxer passes with a file of another program`() throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build(
      "faulty.c", defining: ["DEMUXER_ONLY", "CARRIES_AAC"], as: "faulty.so")
    let sample = try FaultySample.write(in: workshop)
    let results = PluginVerifier(samples: [sample], timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    #expect(results.contains { $0.name == "demuxer faulty: sample.faulty: framing" })
  }

  /// Encoders that refuse the verifier's first size, 64x48, and its second one.
  @Test(arguments: [64, 65, 256])
  func `encoders with a minimum width are checked with larger video`(width: Int) throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build(
      "faulty.c", defining: ["MINIMUM_WIDTH=\(width)"], as: "faulty.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    let twice = results.first { $0.name.hasSuffix("faulty_video: the same bytes twice") }
    #expect(twice?.detail.contains("also in another process") == true)
    #expect(results.contains { $0.name == "muxer faulty: faulty_video: read back" })
    #expect(results.contains { $0.name == "decoder faulty_video: faulty_video: content" })
  }

  @Test(arguments: [
    video("chroma_rounded_down", "321x241 pixels", "plane 1 has a stride"),
    video("bytes_differ_by_process", "the same bytes twice", "two processes with the same input"),
  ])
  func `bugs of encoders with a minimum width are found`(bug: Bug) throws {
    let workshop = try PluginWorkshop()
    let path = try bug.build(in: workshop, defining: ["MINIMUM_WIDTH=256"])
    var verifier = PluginVerifier(timeLimit: bug.timeLimit)
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: path))
  }

  private static var swiftPlugin: String { (Installation.folder ?? "") + "/libfaulty-swift.so" }

  @Test func `a correct Swift plugin passes`() {
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: Self.swiftPlugin)
    #expect(results.filter(\.failed) == [])
  }

  @Test(arguments: swiftBugs)
  func `each bug of the Swift plugin is found and named once`(bug: Bug) {
    var verifier = PluginVerifier(timeLimit: bug.timeLimit)
    verifier.environment = ["RESPOOL_FAULT=\(bug.name)"]
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: Self.swiftPlugin))
  }

  /// Every name in bugs.h has a test.
  @Test func `no bug of the C plugin is left out`() throws {
    let text = try String(
      contentsOf: PluginWorkshop.sources.appending(path: "faulty/bugs.h"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "none,"))
    let end = try #require(text.firstRange(of: "};"))
    let names = text[start.upperBound..<end.lowerBound].split(separator: "\n")
      .filter { !$0.contains("/*") }
      .flatMap { $0.split { $0 == "," || $0 == " " }.map(String.init) }
    let tested =
      Self.encoderBugs + Self.audioBugs + Self.recordBugs + Self.decoderBugs + Self.containerBugs
      + Self.sampleBugs + Self.peerBugs + Self.peerSampleBugs
    #expect(Set(names) == Set(tested.map(\.name)))
    #expect(names.count >= 118)
  }
}
