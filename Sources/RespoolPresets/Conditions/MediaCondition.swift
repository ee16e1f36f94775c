public import RespoolMedia

/// A condition on the properties of a file, such as `video.codec != "hevc" and video.height > 1080`.
///
/// Comparisons are `==`, `!=`, `<`, `<=`, `>`, `>=` and `contains`; `and`, `or`, `not` and parentheses join them. A
/// property alone holds if the file has it, or if it is true. Properties are those of ``MediaProperty``.
///
/// A comparison with a property that the file does not have is false, also with `!=`. Texts are compared without regard
/// to upper and lower case. Properties are rounded to the decimals of the number that they are compared with, so that
/// `video.frameRate == 29.97` holds for 30000/1001; for a whole number, or one with a unit, to six decimals, which is as
/// `respool inspect` prints them. Languages are equal in all of their codes: `en` is `eng`, and `en-GB` too.
public struct MediaCondition: Hashable, Sendable {
  /// The condition as it was written.
  public let text: String
  /// Kind of the track that the condition is about; `nil` if it is about a file.
  package let kind: TrackDescription.Kind?
  private let root: Node

  indirect enum Node: Sendable {
    case any([Node])
    case all([Node])
    case not(Node)
    case has(MediaProperty)
    /// `decimals` is how many decimals of a number are compared.
    case compares(MediaProperty, Comparison, MediaProperty.Value, decimals: Int)
  }

  enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains

    /// `true` if texts can be compared so.
    var isForTexts: Bool { [.equal, .unequal, .contains].contains(self) }
  }

  /// Reads a condition on a file.
  ///
  /// Throws `invalidArgument` with the place and the reason.
  public init(_ text: String) throws(MediaError) { try self.init(text, ofTrack: nil) }

  /// Reads a condition on a track of a kind, or on a file.
  package init(_ text: String, ofTrack kind: TrackDescription.Kind?) throws(MediaError) {
    var parser = ConditionParser(text, ofTrack: kind)
    (self.text, self.kind, root) = (text, kind, try parser.parse())
  }

  public static func == (a: Self, b: Self) -> Bool { a.text == b.text && a.kind == b.kind }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(kind)
  }

  /// Returns `true` if a file of `size` bytes with a description fulfils the condition.
  ///
  /// `size` is `nil` if there is no file; comparisons with it are false then.
  public func holds(for media: MediaDescription, size: Int64?) -> Bool {
    holds(root, .init(media: media, size: size))
  }

  /// Returns `true` if a track of the file fulfils the condition.
  func holds(for track: TrackDescription, of media: MediaDescription, size: Int64?) -> Bool {
    holds(root, .init(media: media, size: size, track: track))
  }

  private func holds(_ node: Node, _ subject: MediaProperty.Subject) -> Bool {
    switch node {
    case .any(let nodes): return nodes.contains { holds($0, subject) }
    case .all(let nodes): return nodes.allSatisfy { holds($0, subject) }
    case .not(let other): return !holds(other, subject)
    case .has(let property):
      switch property.value(of: subject) {
      case nil: return false
      case .truth(let value): return value
      case .number(let value): return value != 0
      case .text(let value), .language(let value): return !value.isEmpty
      }
    case .compares(let property, let comparison, let value, let decimals):
      guard let found = property.value(of: subject) else { return false }
      return Self.compare(found, comparison, value, decimals)
    }
  }

  private static func compare(
    _ a: MediaProperty.Value, _ comparison: Comparison, _ b: MediaProperty.Value, _ decimals: Int
  ) -> Bool {
    switch (a, b) {
    case (.number(let a), .number(let b)):
      let (a, b) = (rounded(a, decimals), rounded(b, decimals))
      return switch comparison {
      case .equal: a == b
      case .unequal: a != b
      case .less: a < b
      case .lessOrEqual: a <= b
      case .greater: a > b
      case .greaterOrEqual: a >= b
      case .contains: false
      }
    case (.text(let a), .text(let b)):
      return compare(a.lowercased(), comparison, b.lowercased())
    case (.language(let a), .language(let b)):
      return switch comparison {
      case .contains: a.lowercased().contains(b.lowercased())
      case .unequal: !LanguageCode.matches(a, range: b)
      default: LanguageCode.matches(a, range: b)
      }
    case (.truth(let a), .truth(let b)): return comparison == .unequal ? a != b : a == b
    default: return false
    }
  }

  private static func rounded(_ number: Double, _ decimals: Int) -> Double {
    let unit = (0..<decimals).reduce(1.0) { unit, _ in unit * 10 }
    // A number without room for decimals has none.
    return abs(number) < 0x1p53 / unit ? (number * unit).rounded() / unit : number
  }

  private static func compare(_ a: String, _ comparison: Comparison, _ b: String) -> Bool {
    switch comparison {
    case .contains: a.contains(b)
    case .unequal: a != b
    default: a == b
    }
  }
}
