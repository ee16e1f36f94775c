import Foundation
import TestFixtures
import Testing

/// A rule that AVFoundation or Core Media documents, and the test that proves it for this library.
///
/// Each part of the library has a table in this folder. A rule is added to its table together with its test.
/// Intended deviations of the library are documented at the declaration.
struct DocumentedRule: Sendable, CustomTestStringConvertible {
  let text: String
  /// The type of the suite.
  let suite: String
  /// The function's name, without backticks and parameters.
  let test: String
  var testDescription: String { text }

  init(_ text: String, _ suite: String, _ test: String) {
    (self.text, self.suite, self.test) = (text, suite, test)
  }
}

@Suite struct DocumentedRules {
  static let all =
    time + assets + samples + reading + writing + captions + editing + pictures + export + assistant

  /// The test functions of the sources, by suite.
  private static let tests: [String: Set<String>] = {
    let folder = PluginWorkshop.package.appending(path: "Tests")
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    var tests: [String: Set<String>] = [:]
    for file in files ?? [] where file.hasSuffix(".swift") {
      let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for (suite, names) in TestNames.found(in: text ?? "") {
        tests[suite, default: []].formUnion(names)
      }
    }
    return tests
  }()

  @Test(arguments: all) func `the test that a rule names is there`(rule: DocumentedRule) {
    #expect(
      Self.tests[rule.suite]?.contains(rule.test) ?? false,
      "there is no test \(rule.suite).\(rule.test)")
  }

  @Test func `no rule stands there twice`() {
    #expect(Set(Self.all.map(\.text)).count == Self.all.count)
  }

  @Test func `only what is a test counts as one`() {
    let source = """
      @Suite struct First {
        @Test func plain() {}
        @Test(arguments: [
          1, 2,
        ])
        func `with words, and 2`(number: Int) throws {}
        func helper() {}
        // @Test func asleep() {}
      }
      extension Second {
        @Test(arguments: all) func inline(rule: Int) {}
      }
      """
    #expect(
      TestNames.found(in: source) == [
        "First": ["plain", "with words, and 2"], "Second": ["inline"],
      ])
  }
}

/// A search for test functions in sources that are formatted as in this package.
enum TestNames {
  static func found(in source: String) -> [String: Set<String>] {
    var tests: [String: Set<String>] = [:]
    var suite = ""
    var isTest = false
    for line in source.split(separator: "\n") {
      let words = line.trimmingCharacters(in: .whitespaces)
      if words.hasPrefix("//") { continue }
      if !line.hasPrefix(" "), let name = name(after: ["struct ", "extension "], in: words) {
        suite = name
      }
      if words.hasPrefix("@Test") { isTest = true }
      guard isTest, let name = name(after: ["func "], in: words) else { continue }
      tests[suite, default: []].insert(name)
      isTest = false
    }
    return tests
  }

  private static func name(after keywords: [String], in line: String) -> String? {
    for keyword in keywords {
      guard let place = line.range(of: keyword) else { continue }
      let rest = line[place.upperBound...]
      if rest.first == "`" { return rest.dropFirst().split(separator: "`").first.map(String.init) }
      return String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
    return nil
  }
}
