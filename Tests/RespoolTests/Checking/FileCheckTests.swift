import Foundation
import ReadingFixtures
import RespoolMedia
import Synchronization
import TestFixtures
import Testing

@testable import Respool

/// Checks of whole files by the library.
@Suite struct FileCheckTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func damaged(_ clip: String, at fraction: Double, count: Int) throws -> String {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Pipeline.clip(clip))))
    let start = Int(Double(bytes.count) * fraction)
    for index in start..<start + count { bytes[index] = ~bytes[index] }
    let path = scratch.path(clip)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `a whole file has no findings, and its frames and samples are counted`() async throws {
    let report = try await FileCheck(
      path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry
    ).report()
    #expect(report.isWhole && report.findings.isEmpty, "\(report.findings)")
    let video = try #require(report.tracks.first { $0.kind == .video })
    let audio = try #require(report.tracks.first { $0.kind == .audio })
    #expect(video.frameCount == video.packetCount && video.sampleCount == nil)
    #expect(try #require(audio.sampleCount) > 0)
    #expect(abs(audio.audioSeconds - report.duration) < 0.1)
  }

  @Test func `damage names its track and time`() throws {
    let path = try damaged("pattern-h264.mp4", at: 0.6, count: 200)
    let report = try FileCheck(path: path, registry: Pipeline.registry).run()
    #expect(!report.isWhole)
    let finding = try #require(report.findings.first)
    #expect(finding.kind == .damage && finding.track == TrackNumber(index: 0))
    let times = try #require(finding.times)
    #expect(times.lowerBound > 0 && times.upperBound <= 2)
    #expect(finding.description.hasPrefix("track 1: "))
  }

  @Test func `the progress rises to 1`() throws {
    let seen = Mutex<[Double]>([])
    _ = try FileCheck(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
      .run { done in seen.withLock { $0.append(done) } }
    let values = seen.withLock { $0 }
    #expect(values == values.sorted() && values.last == 1 && values.count > 10)
  }

  @Test func `a cancelled check throws`() throws {
    let cancellation = ReadCancellation()
    cancellation.cancel()
    let error = #expect(throws: MediaError.self) {
      try FileCheck(path: Pipeline.clip("speech.wav"), registry: Pipeline.registry)
        .run(cancelledBy: cancellation)
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `findings beyond the limit are counted`() {
    var report = FileCheck.Report()
    report.add(.init(.disagreement, "longer"))
    for number in 0..<20 { report.add(.init(.damage, "\(number)")) }
    report.close()
    #expect(report.findings.count == FileCheck.mostFindings + 2)
    #expect(report.findings[FileCheck.mostFindings].message == "4 more places are like this")
    #expect(report.findings.last?.kind == .disagreement)
  }
}
