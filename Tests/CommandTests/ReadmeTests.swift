import Foundation
import Testing

/// The examples for the shell at the top of README, run as a user types them.
@Suite struct ReadmeTests {
  private let home = TemporaryFolder()

  /// Returns the shell blocks of a section.
  private static func blocks(of section: String) throws -> [String] {
    let readme = try String(contentsOfFile: Respool.package + "/README.md", encoding: .utf8)
    let start = try #require(readme.range(of: "\n## \(section)\n")).upperBound
    let end = readme.range(of: "\n## ", range: start..<readme.endIndex)?.lowerBound
    return readme[start..<(end ?? readme.endIndex)].components(separatedBy: "```sh\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  /// Runs a block in a folder that takes the place of `~`: SwiftPM needs the real home folder.
  private func run(_ block: String) throws -> Respool.Result {
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = Respool.folder + ":" + (environment["PATH"] ?? "")
    environment["RESPOOL_PRESETS"] = Respool.package + "/presets"
    return try Running(
      ["/bin/sh", "-e", "-c", block.replacingOccurrences(of: "~/", with: home.path + "/")],
      environment: environment.map { "\($0.key)=\($0.value)" }, folder: home.path
    ).wait()
  }

  @Test func `a folder is converted`() throws {
    let script = try #require(try Self.blocks(of: "Three examples").first { $0.contains("batch") })
    try FileManager.default.createDirectory(
      atPath: home.path + "/Videos", withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Respool.media + "/pattern-h264.mp4", toPath: home.path + "/Videos/holiday.mp4")
    let result = try run(script)
    #expect(result.status == 0, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: home.path + "/Converted/holiday.mp4"))
  }

  @Test func `a plugin is made, built, checked, tried and listed`() throws {
    let script = try #require(try Self.blocks(of: "Three examples").first { $0.contains("new") })
    let result = try run(script)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    #expect(result.output.contains("Mine"))
  }
}
