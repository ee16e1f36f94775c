import Foundation
import Testing

@testable import RespoolBatch

/// Ledgers with many entries.
@Suite struct LedgerSizeTests {
  /// Returns an entry as a converted file has it.
  private func entry(_ number: Int) -> LedgerEntry {
    let (folder, time) = (number / 1000, Int64(1_700_000_000_000_000_000 + number * 1_234_567))
    let samples = (0..<16).map { UInt8(truncatingIfNeeded: (number &* 0x9E37_79B9) >> $0) }
    var entry = LedgerEntry(
      source: "/srv/archive/Interviews/Year \(folder)/Interview \(number) take 2.mov",
      sourceStamp: FileStamp(size: 734_003_200 + Int64(number), modified: time),
      inode: 40_000_000 + Int64(number),
      sourceMark: ContentMark(changed: time + 5, samples: samples), preset: "0123456789abcdef",
      plugins: "AVCodec 1.0, AVFormat 1.0, ISOMedia 1.0, X264 1.0", result: .converted)
    if number % 100 == 0 { entry.losses = ["track 3 (tmcd) was dropped"] }
    if number % 1000 == 1 {
      (entry.result, entry.reason) = (.failed, "no moov box: the file was not closed")
      return entry
    }
    entry.output = LedgerEntry.Output(
      name: "Interviews/Year \(folder)/Interview \(number) take 2.mp4",
      stamp: FileStamp(size: 90_000_000 + Int64(number), modified: time),
      mark: ContentMark(changed: time + 9, samples: samples))
    entry.seconds = 61.5
    return entry
  }

  /// Returns an entry as a file has it whose original is kept.
  private func replacedEntry(_ number: Int) -> LedgerEntry {
    var entry = entry(number)
    let folder = "/srv/archive/Interviews/Year \(number / 1000)"
    entry.output?.name = "Year \(number / 1000)/Interview \(number) take 2.mp4"
    if entry.output != nil {
      entry.replaced = ReplacedFile(
        state: .replaced, kept: "/mnt/originals" + folder + "/Interview \(number) take 2.mov")
    }
    return entry
  }

  /// Writes 20,000 entries, or `LEDGER_ENTRIES`, and keeps them in the folder `LEDGER_FOLDER` for measurements.
  @Test(arguments: [false, true])
  func `a ledger takes at most 400 bytes for each file`(isReplacing: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["LEDGER_ENTRIES"].flatMap { Int($0) } ?? 20_000
    let kept = environment["LEDGER_FOLDER"]
    let folder =
      (kept ?? NSTemporaryDirectory() + "/respool-ledger-\(getpid())")
      + (isReplacing ? "-replaced" : "")
    try FileManager.default.createDirectory(
      atPath: folder + "/.respool", withIntermediateDirectories: true)
    defer { if kept == nil { try? FileManager.default.removeItem(atPath: folder) } }
    let path = OutputFolder.ledgerPath(in: folder)
    let ledger = try Ledger(path, writing: true)
    for start in stride(from: 0, to: count, by: 10_000) {
      try ledger.writing { () throws(Ledger.Failure) in
        // Files are finished in the order of their work, not of their names.
        for number in (start..<min(count, start + 10_000)).reversed() {
          try ledger.put(isReplacing ? self.replacedEntry(number) : self.entry(number))
        }
      }
    }
    ledger.close()
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size / count <= 400, "\(size / count) bytes")
    let status = try Ledger(path, writing: false).status(limit: 20)
    #expect(status.counts[.converted] == Int64(count - count / 1000))
    #expect(status.counts[.failed] == Int64(count / 1000) && status.failures.count == 20)
  }
}
