import RespoolMedia
import Testing

@testable import Respool

/// Compositions of which the stored samples are joined, without encoding.
@Suite struct JoinedExportTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func milliseconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  private func joined(_ asset: Asset, to type: String) throws -> (
    path: String, report: ExportReport
  ) {
    let session = try ExportSession(
      asset: asset, presetName: ExportPreset.passthrough.rawValue, container: type,
      registry: Pipeline.registry)
    let path = scratch.path("joined.\(type)")
    let report = try session.export(to: path)
    return (path, report)
  }

  @Test(arguments: ["mp4", "mov"])
  func `pieces are joined as they are stored and stay in step`(type: String) throws {
    let composition = MutableComposition()
    try composition.insertTimeRange(milliseconds(1300, 2000), of: clip, at: .zero)
    try composition.insertTimeRange(milliseconds(300, 1100), of: clip, at: .invalid)
    let (path, report) = try joined(composition, to: type)
    #expect(report.isCopy)
    let seen = try Pipeline.pictures(path).flashes()
    let heard = try Pipeline.sound(path).onsets()
    #expect(seen.count == 2 && heard.count == 2, "\(seen) \(heard)")
    for (a, b) in zip(seen, [0.22, 0.92]) { #expect(abs(a - b) < 0.02, "\(seen)") }
    for (a, b) in zip(heard, [0.2, 0.9]) { #expect(abs(a - b) < 0.005, "\(heard)") }
  }
}
