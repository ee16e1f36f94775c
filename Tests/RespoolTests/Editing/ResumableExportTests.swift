import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Exports that are interrupted and resumed.
@Suite struct ResumableExportTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws {
    scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.path("parts"), withIntermediateDirectories: false)
  }

  /// The names of the files in the folder for temporary files.
  private var parts: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: scratch.path("parts"))) ?? []).sorted()
  }

  /// Creates a composition of a clip four times.
  ///
  /// The default is the clip of two seconds.
  private func film(of clip: Asset? = nil) throws -> MutableComposition {
    let film = MutableComposition()
    let clip = clip ?? self.clip
    let whole = TimeRange(start: .zero, duration: try clip.duration())
    for _ in 0..<4 { try film.insertTimeRangeAndWait(whole, of: clip, at: .invalid) }
    return film
  }

  private func session(_ asset: Asset, _ preset: String) throws -> ExportSession {
    let session = try ExportSession(
      asset: asset, preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 2)
    session.directoryForTemporaryFiles = scratch.path("parts")
    return session
  }

  private func configure(_ session: ExportSession, resuming: Bool) {
    session.configure { $0.parts = PartLength(seconds: 1, frames: 10) }
    let state = session.configureForResumableExportAndWait()
    #expect(state == .resumable(isResumingFromPreviousState: resuming))
  }

  /// Exports until the fraction `part` is done, then cancels.
  ///
  /// Only the stored parts stay.
  private func interrupt(_ session: ExportSession, at part: Double, resuming: Bool = false) throws {
    configure(session, resuming: resuming)
    let path = scratch.path("interrupted.out")
    let error = #expect(throws: MediaError.self) {
      _ = try session.exportAndWait(to: path) { done in if done >= part { session.cancel() } }
    }
    #expect(error?.code == .cancelled)
    #expect(scratch.names.filter { $0 != "whole" } == ["parts"])
  }

  private func finish(_ session: ExportSession, resuming: Bool) throws -> Data {
    configure(session, resuming: resuming)
    let path = scratch.path("out-\(UUID().uuidString)")
    _ = try session.exportAndWait(to: path)
    #expect(parts == [])
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Data(contentsOf: URL(filePath: path))
  }

  @Test(
    .rule(
      "A resumable export continues from partial results of an earlier one with the same configuration"
    ), arguments: ["web-480p", "webm-720p"])
  func `an export that was interrupted twice has the same bytes`(preset: String) throws {
    let film = try film()
    let whole = try finish(try session(film, preset), resuming: false)
    // An earlier session that still exists does not block later ones.
    let first = try session(film, preset)
    try interrupt(first, at: 0.3)
    defer { withExtendedLifetime(first) {} }
    #expect(parts.count == 2)
    try interrupt(try session(film, preset), at: 0.7, resuming: true)
    let joined = try finish(try session(film, preset), resuming: true)
    #expect(joined == whole)
  }

  @Test func `every frame is in one stream, at its time`() throws {
    let film = try film()
    let (plain, resumable) = (scratch.path("plain.mp4"), scratch.path("joined.mp4"))
    let usual = try session(film, "web-480p")
    _ = try usual.exportAndWait(to: plain)
    let parted = try session(film, "web-480p")
    configure(parted, resuming: false)
    _ = try parted.exportAndWait(to: resumable)
    let (before, after) = (try Pipeline.pictures(plain), try Pipeline.pictures(resumable))
    #expect(after.map(\.presentationTimeStamp) == before.map(\.presentationTimeStamp))
    #expect(after.map(\.duration) == before.map(\.duration))
    #expect(try after.flashes() == before.flashes())
    let stored = try Pipeline.samples(resumable, .video, nil)
    let times = stored.map(\.decodeTimeStamp).filter(\.isNumeric)
    #expect(times == times.sorted())
    let keys = stored.filter { $0.packet?.flags.contains(.key) == true }
    #expect(keys.count >= 8, "\(keys.count) parts of eight seconds")
    #expect(try Data(Pipeline.sound(plain).bytes) == Data(Pipeline.sound(resumable).bytes))
  }

  @Test func `existing parts are not rendered again and keep their times`() throws {
    let film = try film()
    let rendered = Notes<MediaTime>()
    let composition = MutableVideoComposition(
      propertiesOf: film.compositionTracks.filter { $0.mediaType == .video }.map(
        \.compositionSource))
    composition.customVideoCompositor = { CountingCompositor(rendered) }
    func composed() throws -> ExportSession {
      let session = try session(film, "web-480p")
      session.videoComposition = composition
      // Not a whole number of frames from the start.
      session.timeRange = TimeRange(
        start: MediaTime(value: 1, timescale: 7), duration: .positiveInfinity)
      return session
    }
    let whole = try finish(try composed(), resuming: false)
    let all = rendered.values
    try interrupt(try composed(), at: 0.8)
    let before = rendered.values.count
    let joined = try finish(try composed(), resuming: true)
    #expect(joined == whole)
    let again = rendered.values.dropFirst(before)
    #expect(again.count < all.count * 2 / 3, "\(again.count) of \(all.count)")
    #expect(Set(again).isSubset(of: Set(all)))
  }

  @Test func `parts from before a failed read do not become the whole`() throws {
    let film = try film()
    func composed(failingAt time: Double) throws -> ExportSession {
      let session = try session(film, "web-480p")
      let look = MutableVideoComposition(try VideoComposition(propertiesOf: film))
      look.customVideoCompositor = { CountingCompositor(Notes(), failingAt: time) }
      session.videoComposition = look
      return session
    }
    let whole = try finish(try composed(failingAt: .infinity), resuming: false)
    let broken = try composed(failingAt: 5.5)
    configure(broken, resuming: false)
    let error = #expect(throws: MediaError.self) {
      try broken.exportAndWait(to: scratch.path("broken.mp4"))
    }
    #expect(error?.code == .pluginFailure)
    #expect(try finish(try composed(failingAt: .infinity), resuming: true) == whole)
  }

  @Test func `a frame rate limit continues in sync`() throws {
    let film = try film()
    func slow() throws -> ExportSession {
      let session = try ExportSession(
        asset: film, preset: try slowPreset(), registry: Pipeline.registry, threads: 2)
      session.directoryForTemporaryFiles = scratch.path("parts")
      return session
    }
    let whole = try finish(try slow(), resuming: false)
    try interrupt(try slow(), at: 0.6)
    #expect(try finish(try slow(), resuming: true) == whole)
  }

  private func slowPreset() throws -> Preset {
    var preset = try Pipeline.preset("web-480p")
    preset.video?.frameRate = Rational(17, 1)
    return preset
  }

  @Test func `a single file is read from where the last part began`() throws {
    let path = scratch.path("whole")
    _ = try session(try film(), "web-480p").exportAndWait(to: path)
    let asset = Asset(path: path, registry: Pipeline.registry)
    let whole = try finish(try session(asset, "webm-720p"), resuming: false)
    try interrupt(try session(asset, "webm-720p"), at: 0.6)
    #expect(try finish(try session(asset, "webm-720p"), resuming: true) == whole)
  }

  @Test func `parts that a crash left incomplete or damaged are made again`() throws {
    let film = try film()
    let whole = try finish(try session(film, "web-480p"), resuming: false)
    try interrupt(try session(film, "web-480p"), at: 0.7)
    let name = try #require(parts.last)
    let path = URL(filePath: scratch.path("parts/\(name)"))
    let journal = try Data(contentsOf: path)
    let manifest = try Data(contentsOf: URL(filePath: scratch.path("parts/respool-export")))
    var damaged: [Data] = [0.0, 0.01, 0.3, 0.6, 0.99].map { part in
      journal.prefix(Int(Double(journal.count) * part))
    }
    for place in [4, 20, 60, journal.count / 2, journal.count - 5] {
      var copy = journal
      copy[copy.startIndex + place] ^= 0x40
      damaged.append(copy)
    }
    damaged.append(journal + Data(repeating: 1, count: 1000))
    for data in damaged {
      try data.write(to: path)
      try manifest.write(to: URL(filePath: scratch.path("parts/respool-export")))
      let session = try session(film, "web-480p")
      session.configure { $0.parts = PartLength(seconds: 1, frames: 10) }
      guard case .resumable = session.configureForResumableExportAndWait() else {
        Issue.record("not resumable with \(data.count) bytes")
        continue
      }
      let out = scratch.path("again.mp4")
      _ = try session.exportAndWait(to: out)
      #expect(try Data(contentsOf: URL(filePath: out)) == whole, "\(data.count) bytes")
      try FileManager.default.removeItem(atPath: out)
    }
  }

  @Test func `a limited length is met with parts, too`() throws {
    let film = try film(
      of: Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry))
    func limited() throws -> ExportSession {
      let session = try session(film, "web-480p")
      session.fileLengthLimit = 150_000
      return session
    }
    let whole = try finish(try limited(), resuming: false)
    #expect((147_000...150_000).contains(whole.count), "\(whole.count)")
    // The second pass is the second half of the progress.
    try interrupt(try limited(), at: 0.75)
    #expect(try finish(try limited(), resuming: true) == whole)
  }

  @Test(
    .rule(
      "The resumption state has a reason if an export is not resumable, which can still be exported"
    ))
  func `an export that cannot be resumed has a reason and works`() async throws {
    func state(_ session: ExportSession) async -> ExportSession.ResumptionState {
      await session.configureForResumableExport()
    }
    typealias Reason = ExportSession.ResumptionFailureReason
    func expect(_ session: ExportSession, _ reason: Reason, _ name: String) async throws {
      #expect(await state(session) == .notResumable(failureReason: reason), "\(name)")
    }
    let nowhere = try session(clip, "web-480p")
    nowhere.directoryForTemporaryFiles = nil
    try await expect(nowhere, .temporaryDirectoryDoesNotExist, "no folder")
    nowhere.directoryForTemporaryFiles = scratch.path("missing")
    try await expect(nowhere, .temporaryDirectoryDoesNotExist, "a folder that is not there")
    _ = try await nowhere.export(to: scratch.path("plain.mp4"))
    #expect(fileExists(scratch.path("plain.mp4")))
    try FileManager.default.removeItem(atPath: scratch.path("plain.mp4"))
    nowhere.directoryForTemporaryFiles = scratch.path("parts")
    try await expect(nowhere, .incompatibleSessionSettings, "a session that has exported")

    let sound = Asset(path: Pipeline.clip("speech.wav"), registry: Pipeline.registry)
    try await expect(
      try session(sound, "opus-128k"), .unsupportedForPresetOnPlatform, "sound alone")
    try await expect(
      try session(clip, "remux-mkv"), .unsupportedForPresetOnPlatform, "passed through")
    let broken = Asset(path: Pipeline.clip("notes.txt"), registry: Pipeline.registry)
    try await expect(try session(broken, "web-480p"), .incompatibleSessionSettings, "no media")

    try interrupt(try session(try film(), "web-480p"), at: 0.5)
    try await expect(
      try session(try film(), "webm-720p"), .incompatibleTemporaryDirectoryContents,
      "another preset")
    try await expect(
      try session(clip, "web-480p"), .incompatibleTemporaryDirectoryContents, "another source")
    let part = try session(try film(), "web-480p")
    part.timeRange = TimeRange(start: .zero, duration: MediaTime(value: 5, timescale: 1))
    try await expect(part, .incompatibleTemporaryDirectoryContents, "another part")

    let first = try session(try film(), "web-480p")
    #expect(await state(first) == .resumable(isResumingFromPreviousState: true))
    try await expect(
      try session(try film(), "web-480p"), .temporaryDirectoryIsUnusable, "in use")
    withExtendedLifetime(first) {}
  }

  @Test func `a folder without parts is reused by another export`() throws {
    let stopped = try session(try film(), "web-480p")
    configure(stopped, resuming: false)
    stopped.cancel()
    #expect(throws: MediaError.self) { try stopped.exportAndWait(to: scratch.path("out.mp4")) }
    #expect(parts.first == "respool-export")
    let other = try session(clip, "webm-720p")
    #expect(
      other.configureForResumableExportAndWait() == .resumable(isResumingFromPreviousState: false))
  }
}

/// A compositor that returns the first track's frame and records the time of each request.
private final class CountingCompositor: VideoCompositing {
  let rendered: Notes<MediaTime>
  /// The composition time from which requests fail, in seconds.
  let end: Double
  init(_ rendered: Notes<MediaTime>, failingAt end: Double = .infinity) {
    (self.rendered, self.end) = (rendered, end)
  }

  func startRequest(_ request: AsynchronousVideoCompositionRequest) {
    rendered.add(request.compositionTime)
    guard request.compositionTime.seconds < end else {
      return request.finish(with: MediaError(.pluginFailure, "as it was asked to"))
    }
    guard let id = request.sourceTrackIDs.first, let frame = request.sourceFrame(byTrackID: id)
    else { return request.finishCancelledRequest() }
    request.finish(withComposedVideoFrame: frame)
  }
}

extension Sound {
  /// The bytes of the audio samples, channel by channel.
  fileprivate var bytes: [UInt8] { channels.flatMap { $0.withUnsafeBytes { Array($0) } } }
}
