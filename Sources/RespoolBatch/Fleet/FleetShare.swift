import Respool
import RespoolHost
import RespoolMedia

/// The parts of a plan that this process takes: those of its share, then those that others have not begun or have left.
final class FleetShare: PlanSupply {
  let run: FleetRun
  private let plan: PlanFile
  private let folder: FleetFolder
  private let claims: PartClaims
  private let results: BatchResults
  /// Outputs that get other names before any part begins; `nil` when they have them.
  private var moves: FleetMoves?
  /// Parts of the share, those with the most work first.
  private let own: [PlanPart]
  /// The other parts, in the same order.
  private let others: [PlanPart]
  /// Number of the parts of the share that this process has tried to take.
  private var tried = 0
  /// Parts of the share that another process has taken.
  private var contested: [PlanPart] = []
  /// Parts that this process has taken, by their numbers.
  private var held: [Int: Held] = [:]
  /// Parts whose files all have results, but which the others do not know to be complete.
  private var finished: [Int] = []
  private var lastLook = -Double.infinity
  private var lastFinish = monotonicSeconds()
  private var hasLost = false
  /// Parts that this process has given back, because it found the disk full.
  private var givenBack: Set<Int> = []
  /// Number of parts that were given back one after the other, without a result of a file between them.
  private var givenBackInRow = 0
  /// Reason why this process cannot go on.
  private var failure: MediaError?
  /// Work of the parts that are complete.
  private var work = 0.0
  /// Sentences about the work of other processes for the user.
  private var messages: [String] = []

  /// A part that this process has taken.
  private struct Held {
    let part: PlanPart
    let generation: Int
    /// Files without a result.
    var files: Set<Int>
  }

  /// Seconds between two looks at what the others do, while there is nothing else to do.
  private static let interval = 1.0
  /// Seconds of silence after which others may have taken the parts of this process.
  private static let doubt = FleetRun.interval

  /// Number of parts in a row that a process gives back before it takes no more.
  private static let mostGivenBack = 3

  /// Prepares a share of a plan; throws `malformed` and `io` if it cannot be read.
  init(
    _ shard: Shard, of plan: PlanFile, in folder: FleetFolder, _ run: FleetRun,
    _ results: BatchResults
  ) throws(MediaError) {
    (self.plan, self.folder, self.run, self.results) = (plan, folder, run, results)
    claims = PartClaims(folder: folder.claims)
    moves = try FleetMoves(plan, claims, run, results)
    let shares = PlanPart.divide(try plan.parts(), into: shard.count)
    own = shares[shard.number - 1]
    others = shares.enumerated().filter { $0.offset != shard.number - 1 }.flatMap(\.element)
      .sorted { ($1.work, $0.number) < ($0.work, $1.number) }
  }

  // MARK: Parts

  /// Takes the next part.
  func next(_ count: Int) throws(MediaError) -> SuppliedFiles {
    if let moves {
      let moved = try moves.next()
      guard case .end = moved else { return moved }
      self.moves = nil
    }
    guard givenBackInRow < Self.mostGivenBack else {
      return held.values.allSatisfy(\.files.isEmpty) ? .end : .later
    }
    while tried < own.count {
      let part = own[tried]
      tried += 1
      if try claims.claim(part.number, generation: 0, for: run.name) {
        return .files(try hold(part, 0))
      }
      contested.append(part)
    }
    let isIdle = held.values.allSatisfy(\.files.isEmpty)
    guard isIdle && contested.isEmpty || monotonicSeconds() - lastLook >= Self.interval else {
      return .later
    }
    let states = claims.states()
    contested.removeAll { states[$0.number]?.isDone ?? false }
    for part in others where states[part.number] == nil {
      if try claims.claim(part.number, generation: 0, for: run.name) {
        return .files(try hold(part, 0))
      }
    }
    if let files = try takeOver(states) { return files }
    lastLook = monotonicSeconds()
    // The share is complete if others have finished what they have taken of it. What a process has taken that may be dead
    // is waited for: if no one else is left, only this one can take it over.
    return contested.isEmpty && isIdle && !hasDoubts(states) ? .end : .later
  }

  /// Takes a part whose process has ended before it was complete, or has given it back; `nil` if there is none.
  private func takeOver(_ states: [Int: PartClaims.State]) throws(MediaError) -> SuppliedFiles? {
    var isDead: [String: Bool] = [:]
    for part in contested + others {
      guard held[part.number] == nil, !givenBack.contains(part.number),
        let state = states[part.number], !state.isDone, let generation = state.generation
      else { continue }
      let owner = claims.owner(of: part.number, generation: generation)
      guard owner != run.name else { continue }
      let known = owner.flatMap { isDead[$0] }
      let gone =
        known
        ?? run.isDead(owner, claimed: claims.time(of: part.number, generation: generation))
      if let owner { isDead[owner] = gone }
      guard gone || state.isGivenBack,
        try claims.claim(part.number, generation: generation + 1, for: run.name)
      else { continue }
      let files = try hold(part, generation + 1)
      if let owner { adopt(files, of: owner, isAlive: !gone) }
      return .files(files)
    }
    return nil
  }

  /// Returns `true` if a process may be dead that has taken a part of another share.
  private func hasDoubts(_ states: [Int: PartClaims.State]) -> Bool {
    let owners = others.compactMap { part -> String? in
      guard let state = states[part.number], !state.isDone, !state.isGivenBack,
        let generation = state.generation
      else { return nil }
      return claims.owner(of: part.number, generation: generation)
    }
    return Set(owners).contains { $0 != run.name && run.isInDoubt($0) }
  }

  private func hold(_ part: PlanPart, _ generation: Int) throws(MediaError) -> [BatchFile] {
    let files = try plan.files(of: part)
    contested.removeAll { $0 == part }
    held[part.number] = Held(part: part, generation: generation, files: Set(files.map(\.number)))
    return files
  }

  /// Takes over what a process knew of files, which has ended or has given them back.
  private func adopt(_ files: [BatchFile], of owner: String, isAlive: Bool) {
    // A living process removes its own.
    if !isAlive { PendingFile.removeRemains(of: owner, besideOutputsOf: files) }
    let path = folder.ledgerPath(of: owner)
    messages.append(
      isAlive
        ? "\(owner) found no space left on the device; this process goes on with what it has given back"
        : "\(owner) has ended before its work was complete; this process goes on with it")
    // A process that found the disk full may have found no room for a ledger.
    guard fileExists(path) else { return }
    do throws(Ledger.Failure) {
      // A change that an ended process has begun is taken back, for which the ledger has to be written to.
      let ledger = try Ledger(path, writing: !isAlive, isShared: true)
      var entries: [LedgerEntry] = []
      for file in files {
        let source = PathName.absolute(file.path)
        if let entry = try ledger.entry(ofSource: source, preset: results.preset) {
          entries.append(entry)
        }
      }
      results.folder.together { for entry in entries { results.folder.put(entry) } }
    } catch {
      messages.append("the ledger \(path) cannot be read: \(error.message)")
    }
  }

  // MARK: Results

  /// Takes note of the result of a file.
  func ended(_ number: Int) {
    givenBackInRow = 0
    for (index, var part) in held where part.part.contains(number) {
      part.files.remove(number)
      held[index] = part
      guard part.files.isEmpty else { return }
      work += part.part.work
      finished.append(index)
      return
    }
  }

  /// Gives back the part of a file, because this process finds the disk full.
  ///
  /// The results of the part have to be in the ledger.
  func giveBack(_ number: Int) {
    guard let held = held.values.first(where: { $0.part.contains(number) }) else { return }
    givenBack.insert(held.part.number)
    givenBackInRow += 1
    self.held[held.part.number] = nil
    do throws(MediaError) {
      try claims.giveBack(held.part.number, generation: held.generation)
    } catch {
      // The others find out when this process has ended.
      failure = failure ?? error
    }
  }

  /// Returns `true` if another process has taken the part of a file.
  func isTaken(_ number: Int) -> Bool {
    guard let held = held.values.first(where: { $0.part.contains(number) }) else { return true }
    return !claims.holds(held.part.number, generation: held.generation)
  }

  /// `true` if this process has given back parts, because it found the disk full.
  var hasGivenBack: Bool { !givenBack.isEmpty }

  /// Number of files of the plan in parts that are not complete.
  var filesLeft: Int {
    let states = claims.states()
    return (own + others).filter { !(states[$0.number]?.isDone ?? false) }.reduce(0) {
      $0 + $1.files
    }
  }

  /// Returns `true` if a file belongs to a part that this process has.
  func holds(_ number: Int) -> Bool { held.values.contains { $0.part.contains(number) } }

  /// Gives a sign of life, and tells the others which parts are complete.
  ///
  /// `store` writes all results to the disk, and `update` changes the state of this process that the others see. Throws
  /// `io` if they cannot be told, or have taken parts of this process.
  func checkIn(
    isLast: Bool = false, store: () -> Void, update: (inout FleetRunState) -> Void
  ) throws(MediaError) {
    if let failure { throw failure }
    guard holdsParts() else {
      throw MediaError(
        .io,
        "this process gave no sign of life for a minute or more, and another one has taken its work; it ends",
        file: folder.path)
    }
    if !finished.isEmpty, isLast || monotonicSeconds() - lastFinish >= 1 {
      store()
      // A part whose results are lost is not complete.
      guard results.folder.keepsEntries else {
        throw MediaError(
          .io, "the results cannot be stored, so that others have to do the work again",
          file: run.ledgerPath)
      }
      for number in finished {
        try claims.finish(number)
        held[number] = nil
      }
      finished = []
      lastFinish = monotonicSeconds()
    }
    let work = work
    try run.live {
      $0.work = work
      update(&$0)
    }
  }

  /// Returns `true` if no other process has taken a part of this one, because it gave no sign of life.
  func holdsParts() -> Bool {
    guard run.silence > Self.doubt, !hasLost else { return !hasLost }
    hasLost = held.values.contains {
      !claims.holds($0.part.number, generation: $0.generation)
    }
    return !hasLost
  }

  /// Returns the sentences about other processes that the user does not know yet.
  func takeMessages() -> [String] {
    defer { messages = [] }
    return messages
  }
}

extension PendingFile {
  /// Removes the temporary files of an ended process in the folders of outputs.
  static func removeRemains(of run: String, besideOutputsOf files: [BatchFile]) {
    for folder in Set(files.map { PathKey(PathName.folder($0.output)) }) {
      removeAbandoned(in: folder.path, of: FleetRun.mark(of: run))
    }
  }
}

extension PlanPart {
  /// Returns `true` if the number of a file is that of one of this part.
  fileprivate func contains(_ number: Int) -> Bool { (first...last).contains(Int64(number)) }
}
