import Foundation
import TestFixtures
import Testing

@testable import RespoolVerifier

@Suite struct LicenseExpressionOfAPlugin {
  @Test(arguments: [
    "MIT", "mit", "Apache-2.0 AND GPL-2.0-or-later", "GPL-2.0+", "(MIT OR Apache-2.0) AND Zlib",
    "GPL-2.0-only WITH Classpath-exception-2.0", "LicenseRef-Mine",
    "DocumentRef-spdx:LicenseRef-My.License",
  ])
  func `expressions of SPDX are accepted`(text: String) {
    #expect(LicenseExpression.problem(text) == nil)
  }

  @Test(arguments: [
    ("", "it is empty"), (" ", "it is empty"), ("GPLv2", "\"GPLv2\" is no license"),
    ("Apache 2.0", "\"Apache\" is no license"),
    ("MIT Zlib", "AND or OR is missing before \"Zlib\""),
    ("MIT AND", "a license is missing"), ("(MIT", "a parenthesis is not closed"),
    ("MIT)", "AND or OR is missing"), ("proprietary", "\"proprietary\" is no license"),
    ("LicenseRef-", "\"LicenseRef-\" is no license"),
    ("MIT WITH cheese", "\"cheese\" is no exception"),
    ("GPL-2.0-only WITH", "an exception is missing"),
    (String(repeating: "(", count: 99) + "MIT", "nested too deeply"),
  ])
  func `other texts are named with the reason`(text: String, words: String) {
    #expect(LicenseExpression.problem(text)?.contains(words) == true)
  }

  @Test func `a plugin with another license fails one check`() throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build("faulty.c", defining: ["LICENSE=\"GPLv2\""], as: "faulty.so")
    var verifier = PluginVerifier()
    verifier.check = "names"
    let failures = verifier.verify(pluginAt: path).filter(\.failed)
    #expect(failures.map(\.name) == ["names"])
    #expect(failures.first?.detail.contains("the license \"GPLv2\" is no SPDX expression") == true)
  }
}
