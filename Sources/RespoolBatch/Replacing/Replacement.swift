import RespoolMedia

/// Rules by which the outputs of a batch replace their sources.
public struct Replacement: Sendable {
  /// Treatment of sources with more than one name (hard links).
  public enum Links: String, Sendable, CaseIterable {
    /// The source is left out.
    case skip
    /// The output replaces the name that was found; the other names keep the original.
    case `break`
  }

  /// Folder that gets the originals, in the tree of the input.
  ///
  /// `nil` if they are removed.
  public var originals: String?
  /// Part of its source, in percent, by which an output must be smaller, from 0 to 100.
  public var leastSaving = 0.0
  /// `true` if outputs replace their sources whatever their size is.
  public var evenIfLarger = false
  public var links = Links.skip
  /// `true` if files are converted again that were restored.
  public var retriesRestored = false

  public init() {}

  /// Returns the reason to keep a source because of the size of its output; `nil` if the output replaces it.
  func reasonToKeep(size: Int64, ofSource source: Int64) -> String? {
    guard !evenIfLarger else { return nil }
    let saving = source > 0 ? 100 * Double(source - size) / Double(source) : 0
    if size < source, saving >= leastSaving { return nil }
    let difference = Self.percent(abs(saving))
    if size == source { return "the output would be as large: kept the original" }
    if size > source { return "the output would be \(difference) larger: kept the original" }
    return "the output would be only \(difference) smaller, and --min-saving is "
      + "\(Self.percent(leastSaving)): kept the original"
  }

  /// Returns a number as `12 %`, and with a decimal below 10.
  private static func percent(_ value: Double) -> String {
    guard value < 10 else { return "\(Int(min(value, 1e9).rounded())) %" }
    let tenths = (value * 10).rounded() / 10
    return tenths == 0 && value > 0 ? "less than 0.1 %" : "\(tenths.decimalText) %"
  }
}
