import Foundation
import TestFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// The properties of an export session, and the limits that it keeps.
@Suite struct ExportRulesTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func session(_ preset: String = "web-480p") throws -> ExportSession {
    try ExportSession(
      asset: clip, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 2)
  }

  @Test(.rule("The states are pending, waiting, exporting, and end with the export"))
  func `states lead from pending to the end, and progress only grows`() async throws {
    let session = try session()
    #expect(session.status == .unknown)
    let stream = session.states(updateInterval: 0)
    let watching = Task {
      var states: [ExportSession.State] = []
      for await state in stream { states.append(state) }
      return states
    }
    _ = try await session.export(to: scratch.path("out.mp4"))
    let states = await watching.value
    #expect(states.first == .pending)
    #expect(states.dropFirst().first == .waiting)
    let parts = states.compactMap { state -> Double? in
      if case .exporting(let progress) = state { progress } else { nil }
    }
    #expect(parts == parts.sorted() && parts.last == 1)
    #expect(session.status == .completed)
    #expect(session.progress == 1)
    #expect(session.error == nil)
  }

  @Test func `states end with a session that is released without an export`() async throws {
    weak var gone: ExportSession?
    func states() throws -> AsyncStream<ExportSession.State> {
      let session = try session()
      gone = session
      return session.states()
    }
    var seen: [ExportSession.State] = []
    for await state in try states() { seen.append(state) }
    #expect(seen == [.pending])
    #expect(gone == nil)
  }

  @Test(.rule("A session's time range is zero to positive infinity unless it is set"))
  func `the time range is zero to positive infinity by default`() throws {
    let session = try session()
    #expect(session.timeRange == TimeRange(start: .zero, duration: .positiveInfinity))
    let report = try session.exportAndWait(to: scratch.path("all.mp4"), progress: nil)
    #expect(abs(try report.duration - clip.duration().seconds) < 0.05)
  }

  @Test(.rule) func `a session exports once`() throws {
    let session = try session()
    _ = try session.exportAndWait(to: scratch.path("one.mp4"), progress: nil)
    #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("two.mp4"), progress: nil)
    }
    #expect(scratch.names == ["one.mp4"])
  }

  @Test(.rule("Exporting fails if the file exists"))
  func `an existing output is an error and stays unchanged`() throws {
    let path = scratch.path("out.mp4")
    try Data("mine".utf8).write(to: URL(filePath: path))
    let session = try session()
    #expect(throws: MediaError.self) { try session.exportAndWait(to: path, progress: nil) }
    #expect(session.status == .failed)
    #expect(session.error?.code == .io && session.error?.detail == .fileAlreadyExists)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
  }

  @Test(.rule("Canceling the task cancels the export"))
  func `canceling the task cancels the export and leaves nothing`() async throws {
    let session = try session()
    let path = scratch.path("gone.mp4")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await session.export(to: path)
    }
    await #expect(throws: MediaError.self) { try await task.value }
    #expect(session.status == .cancelled)
    #expect(scratch.names == [])
  }

  @Test func `a limit that the preset keeps by itself changes nothing`() throws {
    func export(_ name: String, limit: Int64) throws -> Data {
      let session = try session()
      session.fileLengthLimit = limit
      _ = try session.exportAndWait(to: scratch.path(name), progress: nil)
      return try Data(contentsOf: URL(filePath: scratch.path(name)))
    }
    #expect(try export("free.mp4", limit: 0) == export("ample.mp4", limit: 1 << 40))
  }

  @Test(.rule("The file is not longer than the file length limit"), arguments: [60_000, 150_000])
  func `a limited file is as long as allowed, within 2 percent`(limit: Int64) throws {
    let film = MutableComposition()
    let pattern = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let whole = TimeRange(start: .zero, duration: try pattern.duration())
    for _ in 0..<4 { try film.insertTimeRangeAndWait(whole, of: pattern, at: .invalid) }
    let session = try ExportSession(
      asset: film, preset: try Pipeline.preset("web-480p"), registry: Pipeline.registry)
    session.fileLengthLimit = limit
    let path = scratch.path("limited.mp4")
    _ = try session.exportAndWait(to: path, progress: nil)
    let size = Double(try Data(contentsOf: URL(filePath: path)).count)
    #expect(size <= Double(limit) && size >= Double(limit) * 0.98, "\(size)")
    #expect(scratch.names == ["limited.mp4"])
  }

  @Test func `a limited export leaves other files unchanged`() throws {
    let path = scratch.path("mine.mp4")
    try Data("mine".utf8).write(to: URL(filePath: path))
    let session = try session()
    session.fileLengthLimit = 60_000
    #expect(throws: MediaError.self) { try session.exportAndWait(to: path, progress: nil) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    #expect(scratch.names == ["mine.mp4"])
  }

  @Test func `a limit that no bit rate can keep is an error and leaves nothing`() throws {
    let session = try session()
    session.fileLengthLimit = 500
    #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("small.mp4"), progress: nil)
    }
    #expect(scratch.names == [])
  }

  @Test(.rule("The estimated length follows from bit rates and duration"))
  func `the length is estimated from bit rates`() throws {
    let session = try ExportSession(
      asset: Asset(path: Pipeline.clip("speech.wav"), registry: Pipeline.registry),
      preset: try Pipeline.preset("opus-128k"), registry: Pipeline.registry)
    let estimate = Double(try #require(try session.estimatedOutputFileLength()))
    _ = try session.exportAndWait(to: scratch.path("out.opus"), progress: nil)
    let size = Double(
      try Data(contentsOf: URL(filePath: scratch.path("out.opus"))).count)
    #expect(size > estimate / 3 && size < estimate * 3)
  }

  /// Returns the estimated and the written length of an export, in bytes.
  private func lengths(_ clip: String, _ preset: String) throws -> (told: Double, made: Double) {
    let session = try ExportSession(
      asset: Asset(path: Pipeline.clip(clip), registry: Pipeline.registry),
      preset: try Pipeline.preset(preset), registry: Pipeline.registry)
    let told = try #require(try session.estimatedOutputFileLength())
    let path = scratch.path("\(preset)-\(clip)")
    _ = try session.exportAndWait(to: path, progress: nil)
    return (Double(told), Double(try Data(contentsOf: URL(filePath: path)).count))
  }

  @Test(
    arguments: [("pattern-vp9.webm", "remux-mkv"), ("speech-opus.opus", "remux-mkv")])
  func `the length of a copy is estimated within a tenth`(clip: String, preset: String) throws {
    let (told, made) = try lengths(clip, preset)
    #expect(abs(told / made - 1) < 0.1, "\(told) of \(made)")
  }

  @Test(.rule("A length is estimated for every preset"), arguments: ["web-480p", "webm-720p"])
  func `the length is estimated for a constant quality`(preset: String) throws {
    let (told, made) = try lengths("pattern-h264.mp4", preset)
    #expect(told > made / 4 && told < made * 4, "\(told) of \(made)")
  }
}
