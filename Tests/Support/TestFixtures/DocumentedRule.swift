// The static standard library of release builds, which also compile this module, comes without Testing.
#if canImport(Testing)
  package import Testing

  /// A rule that Apple documents for AVFoundation or Core Media, in our words, and that a test checks.
  ///
  /// Failures of the test print it. Intended deviations of the library are documented at their declarations.
  package struct DocumentedRule: TestTrait {
    /// `nil` if the name of the test is the rule.
    fileprivate var text: String?

    package var comments: [Comment] {
      [text.map { "documented rule: \($0)" } ?? "the name of the test is a documented rule"]
    }
  }

  extension Trait where Self == DocumentedRule {
    package static var rule: Self { Self() }
    package static func rule(_ text: String) -> Self { Self(text: text) }
  }
#endif
