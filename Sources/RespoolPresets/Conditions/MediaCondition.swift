public import RespoolMedia

/// A condition on the properties of a file, such as `video.codec != "hevc" and video.height > 1080`.
///
/// Comparisons are `==`, `!=`, `<`, `<=`, `>`, `>=` and `contains`; `and`, `or`, `not` and parentheses join them. A
/// property alone holds if the file has it, or if it is true. Properties are those of ``MediaProperty``.
///
/// A comparison with a property that the file does not have is false, also with `!=`. Texts are compared without regard
/// to upper and lower case. Properties are rounded to the decimals of the number that they are compared with, so that
/// `video.frameRate == 29.97` holds for 30000/1001; for a whole number, or one with a unit, to six decimals, which is as
/// `respool inspect` prints them.
public struct MediaCondition: Sendable {
  /// The condition as it was written.
  public let text: String
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

  /// Reads a condition.
  ///
  /// Throws `invalidArgument` with the place and the reason.
  public init(_ text: String) throws(MediaError) {
    var parser = ConditionParser(text)
    (self.text, root) = (text, try parser.parse())
  }

  /// Returns `true` if a file of `size` bytes with a description fulfils the condition.
  public func holds(for media: MediaDescription, size: Int64) -> Bool {
    holds(root, media, size)
  }

  private func holds(_ node: Node, _ media: MediaDescription, _ size: Int64) -> Bool {
    switch node {
    case .any(let nodes): return nodes.contains { holds($0, media, size) }
    case .all(let nodes): return nodes.allSatisfy { holds($0, media, size) }
    case .not(let other): return !holds(other, media, size)
    case .has(let property):
      switch property.value(in: media, size: size) {
      case nil: return false
      case .truth(let value): return value
      case .number(let value): return value != 0
      case .text(let value): return !value.isEmpty
      }
    case .compares(let property, let comparison, let value, let decimals):
      guard let found = property.value(in: media, size: size) else { return false }
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
