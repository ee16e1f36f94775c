import HeapModule

/// Files of a plan that follow each other, which a machine takes and converts together.
struct PlanPart: Hashable {
  /// Number of the part in the plan, from 0.
  let number: Int
  /// Number of its first file, and of its last.
  let first: Int64
  let last: Int64
  /// Number of files that are to be converted or copied.
  let files: Int
  /// Their predicted work, in an arbitrary unit.
  let work: Double

  /// Number of parts into which a plan is divided at most, if no file alone is more than one.
  static let most = 16_384

  /// Work for a byte that is read, compared with that for a pixel that is encoded.
  ///
  /// Copying 1 GB takes about as long as encoding 400 million pixels with the presets for films.
  private static let workOfByte = 0.4

  /// Returns the predicted work for a file.
  static func work(of file: BatchFile) -> Double {
    max(1, file.plan.cost + Double(file.size) * workOfByte)
  }

  /// Returns the parts of each of `count` shares, those with the most work first.
  ///
  /// Each part goes to the share that has the least work so far, in descending order of their work (R. L. Graham,
  /// "Bounds on Multiprocessing Timing Anomalies", 1969: at most 4/3 of the best division).
  static func divide(_ parts: [PlanPart], into count: Int) -> [[PlanPart]] {
    struct Share: Comparable {
      var work = 0.0
      let index: Int
      static func < (a: Self, b: Self) -> Bool { (a.work, a.index) < (b.work, b.index) }
    }
    var shares: [[PlanPart]] = Array(repeating: [], count: count)
    var heap = Heap((0..<count).map { Share(index: $0) })
    for part in parts.sorted(by: { ($1.work, $0.number) < ($0.work, $1.number) }) {
      guard var least = heap.popMin() else { break }
      shares[least.index].append(part)
      least.work += part.work
      heap.insert(least)
    }
    return shares
  }
}

/// A division of files, which come one after the other, into parts of about equal work.
struct PlanDivision {
  private(set) var parts: [PlanPart] = []
  private let most: Int
  private let total: Double
  private var done = 0.0
  /// The part that is not complete: its first file, the number of its files, and their work.
  private var open: (first: Int64, files: Int, work: Double)?
  private var last: Int64 = 0

  /// `files` is the number of all files and `work` that of all work.
  init(files: Int, work: Double) { (most, total) = (max(1, min(files, PlanPart.most)), work) }

  mutating func add(_ number: Int64, work: Double) {
    if open == nil { open = (number, 0, 0) }
    open?.files += 1
    open?.work += work
    done += work
    last = number
    // Rounding must not leave a last part for nothing.
    if done >= total * Double(parts.count + 1) / Double(most) * (1 - 1e-9) { close() }
  }

  /// Completes the last part.
  mutating func close() {
    guard let part = open else { return }
    parts.append(
      PlanPart(
        number: parts.count, first: part.first, last: last, files: part.files, work: part.work))
    open = nil
  }
}
