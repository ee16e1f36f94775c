import Foundation
import TestFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Sessions with an output path that call a handler at the end.
@Suite struct ExportHandlerTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func session(_ name: String? = "out.mp4") throws -> ExportSession {
    let session = try ExportSession(
      asset: Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry),
      presetName: ExportPreset.passthrough.rawValue, container: "mp4", registry: Pipeline.registry)
    session.outputPath = name.map { scratch.path($0) }
    return session
  }

  /// Exports, waits for the handler, and returns the status before the call and in the handler.
  private func statuses(_ session: ExportSession) async -> [ExportSession.Status] {
    let seen = Mutex([session.status])
    await withCheckedContinuation { continuation in
      session.exportAsynchronously {
        let status = session.status
        seen.withLock { $0.append(status) }
        continuation.resume()
      }
    }
    return seen.withLock { $0 }
  }

  @Test func `a session is named by its preset`() throws {
    #expect(try session().presetName == "AVAssetExportPresetPassthrough")
    let preset = try Pipeline.preset("web-480p")
    let own = try ExportSession(
      input: Pipeline.clip("clap-and-flash.mp4"), preset: preset, registry: Pipeline.registry)
    #expect(own.presetName == "web-480p")
  }

  @Test(
    .rule(
      "An export to the session's own path calls its handler at the end, and the status has the result"
    ))
  func `the handler is called after the file is written`() async throws {
    let session = try session()
    #expect(await statuses(session) == [.unknown, .completed])
    #expect(session.error == nil && session.progress == 1)
    let made = Asset(path: scratch.path("out.mp4"), registry: Pipeline.registry)
    #expect(try made.tracks().count == session.asset.tracks().count)
    // Another call leaves the session unchanged.
    #expect(await statuses(session) == [.completed, .completed])
  }

  @Test func `an export is running when the call returns`() async throws {
    let session = try session()
    let holding = Mutex<[ExportSession.Status]>([])
    await withCheckedContinuation { continuation in
      session.exportAsynchronously { continuation.resume() }
      holding.withLock { $0.append(session.status) }
    }
    #expect(holding.withLock { $0 } != [.unknown])
  }

  @Test func `an export without a path fails`() async throws {
    let session = try session(nil)
    #expect(await statuses(session) == [.unknown, .failed])
    #expect(session.error?.code == .invalidArgument)
  }

  @Test(
    .rule("An asynchronous export without a path does not throw: status and error have the result"))
  func `status and error have the result of an asynchronous export`() async throws {
    let session = try session()
    await session.export()
    #expect(session.status == .completed)
    let again = try self.session()
    await again.export()
    #expect(again.status == .failed && again.error?.detail == .fileAlreadyExists)
    let cancelled = try self.session("gone.mp4")
    cancelled.cancelExport()
    await cancelled.export()
    #expect(cancelled.status == .cancelled)
    #expect(scratch.names == ["out.mp4"])
  }
}
