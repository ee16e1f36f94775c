import ArgumentParser
import RespoolMedia

/// A time as seconds, `m:ss` or `h:mm:ss`, each with any number of decimals.
///
/// Minutes after hours, and seconds after minutes, are less than 60.
struct TimeArgument: ExpressibleByArgument {
  let time: MediaTime
  /// Text as the user gave it.
  let text: String

  init?(argument: String) {
    text = argument
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let pieces = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = pieces.count == 2 ? pieces[1] : ""
    // ".5" is half a second.
    let seconds = pieces[0].isEmpty && !decimals.isEmpty ? "0" : pieces[0]
    guard parts.first?.isEmpty == false else { return nil }
    var value: Int64 = 0
    var isFollowing = false
    for part in parts.dropLast() + [seconds] {
      guard part.utf8.count <= 9, let number = Self.number(part) else { return nil }
      if isFollowing, number >= 60 { return nil }
      value = value * 60 + number
      isFollowing = true
    }
    // Digits after nanoseconds are ignored: programs write more digits than are meaningful.
    let (kept, cut) = (decimals.prefix(9), decimals.dropFirst(9))
    guard value < 1 << 31, Self.isNumber(cut), var rest = kept.isEmpty ? 0 : Self.number(kept)
    else { return nil }
    if let next = cut.utf8.first, next >= UInt8(ascii: "5") { rest += 1 }
    var scale: Int32 = 1
    for _ in kept.utf8 { scale *= 10 }
    time = MediaTime(value: value * Int64(scale) + rest, timescale: scale)
  }

  private static func number(_ digits: Substring) -> Int64? {
    isNumber(digits) ? Int64(digits) : nil
  }

  private static func isNumber(_ digits: Substring) -> Bool {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
