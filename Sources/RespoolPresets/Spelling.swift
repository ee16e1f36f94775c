/// Search for the word that the user probably meant.
package enum Spelling {
  /// Returns the nearest of `words`; `nil` if none is near.
  ///
  /// A third of the letters may differ, and at least two.
  package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let limit = max(2, (word.unicodeScalars.count + 1) / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = distance(word, candidate)
      // A candidate that shares less than half of a short word's letters is not a correction.
      guard distance <= limit, distance * 2 <= max(word.unicodeScalars.count, 2) else { continue }
      if best.map({ (distance, candidate) < ($0.distance, $0.word) }) ?? true {
        best = (candidate, distance)
      }
    }
    if let best { return best.word }
    // The beginning of a word, such as `lang` for `language`.
    guard word.count >= 3 else { return nil }
    let longer = Set(words.filter { $0.hasPrefix(word) })
    return longer.count == 1 ? longer.first : nil
  }

  /// Returns `did you mean …?` with the nearest word, else all words.
  package static func advice(
    for word: String, among words: some Collection<String>, kind: String
  ) -> String {
    if let nearest = nearest(to: word, among: words) { return "did you mean \(nearest)?" }
    if words.isEmpty { return "none is available" }
    return "\(kind) is one of \(words.joined(separator: ", "))"
  }

  /// Returns the words with commas between them; `none` if there are none.
  static func list(_ words: [String]) -> String {
    words.isEmpty ? "none" : words.joined(separator: ", ")
  }

  /// Returns the number of letters to insert, remove, replace or exchange with their neighbor.
  ///
  /// Ignores case (optimal string alignment).
  package static func distance(_ first: String, _ second: String) -> Int {
    // No schema has longer words; this keeps the table small.
    let a = Array(first.lowercased().unicodeScalars.prefix(64))
    let b = Array(second.lowercased().unicodeScalars.prefix(64))
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before: [Int] = []
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      row.reserveCapacity(b.count + 1)
      for j in 1...b.count {
        let same = a[i - 1] == b[j - 1]
        var cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cost = min(cost, before[j - 2] + 1)
        }
        row.append(cost)
      }
      (before, previous) = (previous, row)
    }
    return previous[b.count]
  }
}
