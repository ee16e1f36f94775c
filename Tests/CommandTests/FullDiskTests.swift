import Foundation
import Glibc
import Testing

/// Batches whose output folder is a small file system.
@Suite(.enabled(if: SmallDisk.isPermitted, "file systems cannot be mounted"))
struct FullDiskTests {
  private let folder = TemporaryFolder()

  /// Adds a file of 4 MB, whose copy is as large, and a small one.
  private func addSources() throws {
    try folder.add("speech.wav", as: "in/small.wav")
    try folder.addLongSound(as: "in/big.wav")
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder("in/big.wav")))
    defer { try? file.close() }
    let size: UInt32 = 4_000_000
    try file.truncate(atOffset: UInt64(size) + 44)
    for (offset, value) in [(4, size + 36), (40, size)] {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: withUnsafeBytes(of: value.littleEndian) { Data($0) })
    }
  }

  private func start(_ words: [String] = []) throws -> Running {
    try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "wav", "--json"] + words)
  }

  /// Leaves 3 MB, which are full in the middle of the file, or 1 MB, with which it does not begin.
  @Test(arguments: [3, 1])
  func `a batch waits for room on a full disk`(room: Int) throws {
    try addSources()
    let disk = try SmallDisk(folder("out"), megabytes: 8)
    try disk.fill("junk", leaving: Double(room))
    let batch = try start()
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    try batch.wait(until: "its status says so") {
      (try? Respool.run("status", folder("out")).output)?
        .contains("and waits: no space left on the device: ") ?? false
    }
    let made = TemporaryFolder.outputs(in: folder("out")).filter { $0 != "small.wav" }
    #expect(made == ["junk"])
    unlink(folder("out/junk"))
    let run = try BatchRun(batch.wait())
    #expect(run.status == 0, "\(run.events)")
    #expect(run.outcome("big.wav") == "copied" && run.outcome("small.wav") == "copied")
    let kinds = run.events.compactMap { $0["event"] as? String }
    #expect(kinds.count { $0 == "paused" } == 1 && kinds.count { $0 == "resumed" } == 1)
    let words = run.events.compactMap { $0["message"] as? String }.joined()
    #expect(
      words.contains("no space left on the device: ") && words.contains("in/big.wav needs about 4"),
      "\(words)")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["big.wav", "small.wav"])
  }

  @Test(arguments: ["0", "0.05"])
  func `files for which there is no room fail after a time, and are tried again`(wait: String)
    throws
  {
    try addSources()
    let disk = try SmallDisk(folder("out"), megabytes: 8)
    try disk.fill("junk", leaving: 3)
    let run = try BatchRun(start(["--wait-for-space", wait]).wait())
    #expect(run.status == 1, "\(run.events)")
    #expect(run.outcome("small.wav") == "copied")
    #expect(run.outcome("big.wav") == "failed")
    #expect(
      run.reason("big.wav").hasPrefix("not converted: no space left on the device: 2."),
      "\(run.reason("big.wav"))")
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["junk", "small.wav"])
    unlink(folder("out/junk"))
    let again = try BatchRun(start().wait())
    #expect(again.status == 0 && again.outcome("big.wav") == "copied", "\(again.events)")
    #expect(again.summary["alreadyDone"] as? Int == 1)
  }

  @Test func `a file that is removed while it waits for room keeps no others waiting`() throws {
    try addSources()
    let disk = try SmallDisk(folder("out"), megabytes: 8)
    try disk.fill("junk", leaving: 3)
    let batch = try start()
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    try FileManager.default.removeItem(atPath: folder("in/big.wav"))
    let run = try BatchRun(batch.wait())
    #expect(run.status == 1, "\(run.events)")
    #expect(run.outcome("small.wav") == "copied")
    #expect(run.reason("big.wav") == "the source was removed while it waited for room")
  }

  @Test func `a batch that waits for room can be interrupted`() throws {
    try addSources()
    let disk = try SmallDisk(folder("out"), megabytes: 8)
    try disk.fill("junk", leaving: 1)
    let batch = try start()
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    batch.interrupt()
    let run = try BatchRun(batch.wait())
    #expect(run.status == 130 && run.summary["left"] as? Int == 2, "\(run.events)")
  }

  @Test func `a batch waits for inodes`() throws {
    let count = 12
    for number in 0..<count { try folder.add("speech.wav", as: "in/\(number).wav") }
    let disk = try SmallDisk(folder("out"), megabytes: 50, files: 12)
    let batch = try start()
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    #expect(batch.output.contains("has room for "), "\(batch.output)")
    try disk.allow(files: 100)
    let run = try BatchRun(batch.wait())
    #expect(run.status == 0 && run.summary["copied"] as? Int == count, "\(run.events)")
    let kinds = run.events.compactMap { $0["event"] as? String }
    #expect(kinds.count { $0 == "paused" } == 1 && kinds.count { $0 == "resumed" } == 1)
  }

  /// A disk with a quota looks as if it had room.
  @Test func `a batch waits while its quota is used up`() throws {
    for number in 0..<6 { try folder.add("speech.wav", as: "in/\(number).wav") }
    let library = try CPlugin("quota.c")
    try Data().write(to: URL(fileURLWithPath: folder("full")))
    let batch = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "wav", "--json"],
      environment: [
        "LD_PRELOAD=\(library.path)", "QUOTA_FULL=\(folder("full"))", "RESPOOL_SANDBOX=off",
      ])
    try batch.wait(until: "it waits") { batch.output.contains("\"paused\"") }
    #expect(batch.output.contains("the disk quota is used up"), "\(batch.output)")
    sleep(3)
    unlink(folder("full"))
    let run = try BatchRun(batch.wait())
    #expect(run.status == 0 && run.summary["copied"] as? Int == 6, "\(run.events)")
    let kinds = run.events.compactMap { $0["event"] as? String }
    #expect(kinds.count { $0 == "paused" } == 1 && kinds.count { $0 == "resumed" } == 1)
  }
}
