/// Finds the word that somebody probably meant.
package enum Spelling {
  /// The nearest of `words`, or nil where none is near: a third of the letters may differ, and at least
  /// two.
  package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let limit = max(2, (word.unicodeScalars.count + 1) / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = distance(word, candidate)
      // A candidate that shares no letter with the word is no correction of it.
      guard distance <= limit, distance < max(word.unicodeScalars.count, 2) else { continue }
      if best.map({ (distance, candidate) < ($0.distance, $0.word) }) ?? true {
        best = (candidate, distance)
      }
    }
    return best?.word
  }

  /// `did you mean …?` with the nearest word, else all of them.
  package static func advice(
    for word: String, among words: some Collection<String>, kind: String
  ) -> String {
    if let nearest = nearest(to: word, among: words) { return "did you mean \(nearest)?" }
    if words.isEmpty { return "there is none to choose from" }
    return "\(kind) is one of \(words.joined(separator: ", "))"
  }

  /// How many letters to insert, remove, change or exchange with their neighbour, regardless of case
  /// (optimal string alignment).
  package static func distance(_ first: String, _ second: String) -> Int {
    // Words longer than this come from no schema; the table stays small.
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
