import Foundation
import RespoolHost
import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolBatch

@Suite struct PartClaimsTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private var folder: FleetFolder { FleetFolder("plan", output: scratch.path("out")) }

  private func run() throws -> FleetRun {
    try folder.create()
    return try FleetRun(try #require(Shard("1/2")), in: folder)
  }

  /// Moves the last sign of life of a process into the past.
  private func age(_ run: FleetRun, seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
      ofItemAtPath: folder.statePath(of: run.name))
  }

  @Test func `one of many claims succeeds`() async throws {
    try folder.create()
    let claims = PartClaims(folder: folder.claims)
    for generation in 0..<3 {
      let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<16 {
          group.addTask { try claims.claim(7, generation: generation, for: "run\(number)") }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
      #expect(claims.states()[7]?.generation == generation)
      #expect(claims.owner(of: 7, generation: generation)?.hasPrefix("run") ?? false)
    }
    #expect(claims.holds(7, generation: 2) && !claims.holds(7, generation: 1))
    #expect(!(claims.states()[7]?.isDone ?? true))
    try claims.finish(7)
    try claims.finish(7)
    #expect(claims.states()[7]?.isDone ?? false)
  }

  @Test func `a part that was given back belongs to the next claim`() throws {
    try folder.create()
    let claims = PartClaims(folder: folder.claims)
    for part in [3, 4] { #expect(try claims.claim(part, generation: 0, for: "first")) }
    try claims.giveBack(3, generation: 0)
    #expect(claims.states()[3]?.isGivenBack == true && claims.states()[4]?.isGivenBack == false)
    #expect(claims.givenBack(claims.states()) == ["first": 1])
    #expect(try claims.claim(3, generation: 1, for: "second"))
    let state = try #require(claims.states()[3])
    #expect(!state.isGivenBack && state.generation == 1 && !state.isDone)
    #expect(claims.givenBack(claims.states()) == ["first": 1])
    try claims.giveBack(3, generation: 1)
    #expect(claims.givenBack(claims.states()) == ["first": 1, "second": 1])
  }

  @Test func `a process that is paused keeps others of the plan from no file`() throws {
    let output = scratch.path("out")
    try folder.create()
    let work = SharedWork(plan: "plan")
    let (first, second) = (try run(), try run())
    let folders = try [first, second].map {
      try OutputFolder(
        output, isLocked: true, sharing: work, joining: true, ownLedger: $0.ledgerPath)
    }
    for folder in folders { #expect(folder.claims.claim("film.mp4")) }
    for folder in folders { folder.close() }
  }

  @Test func `a process is dead if it has ended, is gone or silent`() throws {
    let (here, other) = (try run(), try run())
    #expect(!here.isDead(other.name, claimed: nil))
    try age(other, seconds: FleetRun.patience - 20)
    #expect(!here.isDead(other.name, claimed: nil))
    // Clocks of machines may differ by minutes: only a state that stays the same is that of a dead process.
    try age(other, seconds: FleetRun.patience + 200)
    let now = monotonicSeconds()
    #expect(!here.isDead(other.name, claimed: nil, now: now))
    #expect(!here.isDead(other.name, claimed: nil, now: now + FleetRun.patience - 1))
    #expect(here.isDead(other.name, claimed: nil, now: now + FleetRun.patience + 1))
    try age(other, seconds: FleetRun.patience + 195)
    #expect(!here.isDead(other.name, claimed: nil, now: now + FleetRun.patience + 2))
    try age(other, seconds: 5000)
    #expect(here.isDead(other.name, claimed: nil, now: now))
    let third = try run()
    third.end { _ in }
    #expect(here.isDead(third.name, claimed: nil))
    // A claim whose writer is not known counts for a minute.
    let time = Int64(Date().timeIntervalSince1970 * 1e9)
    #expect(!here.isDead(nil, claimed: time, now: now))
    #expect(here.isDead(nil, claimed: time, now: now + FleetRun.patience + 1))
    #expect(here.isDead(nil, claimed: time - 5_000_000_000_000, now: now))
  }

  @Test func `another attempt of the same job knows that the first one has ended`() {
    var (first, second) = (ProcessIdentity.current, ProcessIdentity.current)
    (first.job, first.attempt, first.space) = ("17", 0, "other machine")
    (second.job, second.attempt) = ("17", 1)
    #expect(first.isGone(for: second) && !second.isGone(for: first))
    first.job = "18"
    #expect(!first.isGone(for: second))
  }

  @Test func `a process of this machine is seen to be gone at once`() {
    let here = ProcessIdentity.current
    var other = here
    #expect(!other.isGone(for: here))
    // The number is that of another process now.
    other.started = "1"
    #expect(other.isGone(for: here))
    other.space = "other machine"
    #expect(!other.isGone(for: here))
  }

  @Test func `the state of a process is read as it was written`() throws {
    var state = FleetRunState(shard: try #require(Shard("3/4")))
    (state.made, state.failed, state.work, state.seconds) = (5, 2, 7.5, 3.25)
    state.running = [.init(path: "/a\tb\n\u{1F600}.mp4", fraction: 0.5, seconds: 2, work: 9)]
    let read = try #require(FleetRunState(line: state.line.dropLast()))
    #expect(read.line == state.line)
    #expect(read.workOnRunning == 4.5)
    #expect(read.running.first?.path == "/a\tb\n\u{1F600}.mp4" && read.shard == "3/4")
    #expect(FleetRunState(line: Array("nonsense".utf8)) == nil)
  }
}
