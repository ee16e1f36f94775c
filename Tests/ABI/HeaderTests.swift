import Foundation
import TestFixtures
import Testing

/// The headers of the ABI beside those of each released minor version.
@Suite struct Headers {
  private static let check = PluginWorkshop.package.appending(path: "Tests/ABI/check.py").path

  @Test func `headers only add to those of released versions`() throws {
    let report = try PluginWorkshop.run("python3", [Self.check, PluginWorkshop.headers])
    #expect(report.contains("the ABI adds only to 1.0, 1.1, 1.2, 1.3, 1.4, 1.5"))
  }

  @Test(arguments: [
    ("media.h", "int64_t trim_start;", "int32_t trim_start;", "rsp_packet.trim_start"),
    ("media.h", "int64_t range_offset;", "", "rsp_packet.range_offset"),
    ("media.h", "RSP_PACKET_DISCARD = 2", "RSP_PACKET_DISCARD = 256", "RSP_PACKET_DISCARD was 2"),
    ("encoder.h", "(*send)(rsp_encoder *encoder, ", "(*send)(", "rsp_encoder_factory.send"),
    (
      "plugin.h", "const char *version;", "int added; const char *version;",
      "rsp_plugin_info.version"
    ),
  ])
  func `a change that breaks plugins is found`(
    file: String, old: String, new: String, named name: String
  ) throws {
    let fixtures = try PluginWorkshop()
    let copy = fixtures.path("include")
    try FileManager.default.copyItem(atPath: PluginWorkshop.headers, toPath: copy)
    let path = copy + "/respool/" + file
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(old))
    try text.replacingOccurrences(of: old, with: new)
      .write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: FixtureError.self) {
      try PluginWorkshop.run("python3", [Self.check, copy])
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(name))
  }
}
