import RespoolMedia

/// The latest result of each source of an output folder with each preset, in the order in which they became known.
///
/// Entries stay in their ledgers; this has their places and totals.
struct LiveResults {
  /// The place of an entry.
  struct Place {
    /// Path of the ledger, and number of the entry there.
    var ledger: String
    var number: Int64
    /// Number that stands for the path of the source and the preset.
    var key: Int
  }

  private struct Record {
    var ledger: Int32
    var number: Int64
    var key: Int
    /// Number that stands for all that the entry states.
    var digest: Int
    var result: LedgerEntry.Result
    var sourceSize: Int64
    var outputSize: Int64
    var seconds: Double
  }

  private var records: [Record] = []
  /// Index of the latest record of each key.
  private var latest: [Int: Int] = [:]
  private var ledgers: [String] = []
  /// Greatest number of an entry in each ledger.
  private var greatest: [Int64] = []
  /// Number of keys whose latest entry is in each ledger.
  private var keys: [Int] = []
  /// Records whose files have not been looked into, the newest at the end.
  private var unseen: [Int] = []

  /// The work on the folder before the latest entries were read.
  var work = FolderWork()
  private(set) var details: [Int: FileDetails] = [:]
  private(set) var counts: [LedgerEntry.Result: Int64] = [:]
  private(set) var sourceSize: Int64 = 0
  private(set) var outputSize: Int64 = 0
  private(set) var seconds = 0.0
  private var presets: Set<String> = []
  /// Number of presets that entries have.
  var presetCount: Int { presets.count }
  /// Number of files that are left, as far as it is known.
  var left: Int {
    work.left { path in ledgers.firstIndex(of: path).map { keys[$0] } }
  }

  /// Number of entries at the end of a ledger that are read again, as they may have changed: those of running conversions
  /// are, when the output gets its name.
  private static let changing: Int64 = 1024

  /// Returns the number that stands for the source and the preset of an entry.
  static func key(of entry: LedgerEntry) -> Int {
    var hasher = Hasher()
    hasher.combine(PathKey(entry.source))
    hasher.combine(entry.preset)
    return hasher.finalize()
  }

  /// Returns the number of an entry after which a ledger is to be read.
  func first(in ledger: String) -> Int64 {
    ledgers.firstIndex(of: ledger).map { max(0, greatest[$0] - Self.changing) } ?? 0
  }

  /// Returns `true` if a ledger that has `count` entries lacks some that are known.
  func hasLost(in ledger: String, count: Int64) -> Bool {
    ledgers.firstIndex(of: ledger).map { keys[$0] > count } ?? false
  }

  /// Adds an entry with a number in a ledger, unless it is known.
  mutating func add(_ entry: LedgerEntry, _ number: Int64, _ path: String) {
    let ledger = ledgers.firstIndex(of: path) ?? ledgers.count
    if ledger == ledgers.count {
      ledgers.append(path)
      greatest.append(0)
      keys.append(0)
    }
    greatest[ledger] = max(greatest[ledger], number)
    guard entry.output?.isPublished ?? true else { return }
    let key = Self.key(of: entry)
    let before = latest[key]
    if let before, records[before].digest == entry.hashValue {
      // `collect` has put it into another ledger.
      keys[Int(records[before].ledger)] -= 1
      keys[ledger] += 1
      (records[before].ledger, records[before].number) = (Int32(ledger), number)
      return
    }
    if before != nil { details[key] = nil }
    presets.insert(entry.preset)
    append(
      Record(
        ledger: Int32(ledger), number: number, key: key, digest: entry.hashValue,
        result: entry.result, sourceSize: entry.sourceStamp.size,
        outputSize: entry.output?.stamp.size ?? 0, seconds: entry.seconds))
    if entry.output != nil { unseen.append(records.count - 1) }
  }

  private mutating func append(_ record: Record) {
    if let before = latest[record.key] { count(records[before], -1) }
    latest[record.key] = records.count
    records.append(record)
    count(record, 1)
  }

  private mutating func count(_ record: Record, _ sign: Int64) {
    counts[record.result, default: 0] += sign
    keys[Int(record.ledger)] += Int(sign)
    guard record.result == .converted || record.result == .copied else { return }
    sourceSize += sign * record.sourceSize
    outputSize += sign * record.outputSize
    seconds += Double(sign) * record.seconds
  }

  /// Returns the entries after a number of records, at most `limit` with their indexes, and the number of records until there.
  ///
  /// Leaves out entries that later ones have replaced.
  func places(after first: Int, limit: Int) -> (places: [(Int, Place)], end: Int) {
    var places: [(Int, Place)] = []
    var index = max(0, min(first, records.count))
    while index < records.count, places.count < limit {
      if let place = place(at: index) { places.append((index, place)) }
      index += 1
    }
    return (places, index)
  }

  /// Returns the place of a record's entry; `nil` if there is no such record, or a later one has replaced it.
  func place(at index: Int) -> Place? {
    guard records.indices.contains(index) else { return nil }
    let record = records[index]
    guard latest[record.key] == index else { return nil }
    return Place(ledger: ledgers[Int(record.ledger)], number: record.number, key: record.key)
  }

  /// Returns the place of the latest entry of a record's source; `nil` if there is no such record.
  ///
  /// A page may have a row longer than it is the latest.
  func latestPlace(at index: Int) -> Place? {
    guard records.indices.contains(index) else { return nil }
    return latest[records[index].key].flatMap(place)
  }

  // MARK: Files

  /// Time at which a page has asked last, in seconds of the monotonic clock.
  var lastAsked = -Double.infinity
  /// Marks of rows when they were looked at, by key; 0 is left out.
  private var marks: [Int: Int64] = [:]
  /// Index of the record to look at next.
  private var nextLookedAt = 0

  /// Returns the places of the next latest records, at most `limit`, whose files are to be looked at again.
  mutating func placesToLookAt(limit: Int) -> [Place] {
    var places: [Place] = []
    for _ in 0..<min(limit, records.count) {
      if nextLookedAt >= records.count { nextLookedAt = 0 }
      if let place = place(at: nextLookedAt) { places.append(place) }
      nextLookedAt += 1
    }
    return places
  }

  /// Takes the marks of a row; adds its record again if they have changed, so that pages get them.
  mutating func take(marks new: Int64, of key: Int) {
    guard new != marks[key] ?? 0, let index = latest[key] else { return }
    marks[key] = new == 0 ? nil : new
    append(records[index])
  }

  // MARK: Details

  /// Returns the newest entry whose files have not been looked into.
  mutating func takeUnseen() -> Place? {
    while let index = unseen.popLast() { if let place = place(at: index) { return place } }
    return nil
  }

  /// Takes what a process has found in the files of an entry with a key.
  mutating func take(_ line: [UInt8], of key: Int?) {
    if let key { details[key, default: FileDetails()].take(line) }
  }

  /// Adds the record of an entry again, so that pages get its details.
  mutating func show(_ key: Int?) {
    guard let key, details[key] != nil, let index = latest[key] else { return }
    append(records[index])
  }
}
