import Foundation
import Testing

/// Files whose plugin does not work, which fail instead of being skipped as unknown.
@Suite struct PluginDisorderTests {
  private func folderWithFiles() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write("GOODFILE", as: "in/good.x")
    try folder.add("speech.wav", as: "in/speech.wav")
    try folder.add("notes.txt", as: "in/notes.txt")
    return folder
  }

  private func expectFailure(_ run: BatchRun, _ words: String) {
    #expect(run.status == 1)
    #expect(run.outcome("good.x") == "failed")
    #expect(run.reason("good.x").contains(words), "\(run.reason("good.x"))")
    // Files for other plugins are converted, and files that are certainly not media are skipped.
    #expect(run.outcome("speech.wav") == "converted")
    #expect(run.outcome("notes.txt") == "skipped")
    #expect(run.warnings.contains { $0.contains("unruly") && $0.contains(words) })
    // The warning comes before the plan.
    #expect(run.events.first?["event"] as? String == "warning")
  }

  @Test func `a library that disappears after the description is noticed`() throws {
    let folder = try folderWithFiles()
    let library = try CPlugin("stub.c", linking: ["-Wl,-soname,libstub-of-batch.so.1"])
    let path = library.folder("libstub-of-batch.so.1")
    try FileManager.default.moveItem(atPath: library.path, toPath: path)
    let plugin = try CPlugin(
      "unruly.c", defining: ["USES_STUB"],
      linking: [path, "-Wl,-rpath,\(library.folder.path)", "-lpthread"])
    let before = try BatchRun(
      folder("in"), to: folder("before"), environment: plugin.environment)
    #expect(before.status == 0)
    #expect(before.outcome("good.x") == "converted")
    #expect(before.warnings.isEmpty)
    // Like an upgrade of the system, this removes the library and keeps the plugin's own file.
    try FileManager.default.removeItem(atPath: path)
    let run = try BatchRun(folder("in"), to: folder("out"), environment: plugin.environment)
    expectFailure(run, "libstub-of-batch.so.1, which the plugin needs, is not installed")
  }

  @Test func `junk in place of a plugin is noticed`() throws {
    let folder = try folderWithFiles()
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try plugin.folder.write("no shared object at all", as: "unruly.so")
    let run = try BatchRun(folder("in"), to: folder("out"), environment: plugin.environment)
    expectFailure(run, "the file is not a shared object")
  }

  @Test func `an installed plugin that is missing is noticed`() throws {
    let folder = try folderWithFiles()
    let installation = try Installation(["Ogg", "Opus", "PCM", "Wave"])
    let plugin = installation.path("lib/respool/librespool-unruly.so")
    let built = try CPlugin("unruly.c", linking: ["-lpthread"])
    try FileManager.default.moveItem(atPath: built.path, toPath: plugin)
    try installation.writeList()
    let before = try installation.batch(folder("in"), to: folder("before"))
    #expect(before.outcome("good.x") == "converted")
    #expect(before.warnings.isEmpty)
    try FileManager.default.removeItem(atPath: plugin)
    expectFailure(
      try installation.batch(folder("in"), to: folder("out")), "the installed file is missing")
    let doctor = try installation.run(["plugins", "doctor"])
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("unruly FAILED"), "\(doctor.output)")
    #expect(doctor.output.contains("what to do: install Respool again"))
    #expect(doctor.output.contains("(librespool-*.so)  4 plugins"))
  }

  @Test func `the reason of a plugin that rejects a file is reported if another one reads it`()
    throws
  {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/speech.wav")
    // Without samples, so that the other demuxer finds nothing to convert.
    let head = try Data(contentsOf: URL(fileURLWithPath: Respool.media + "/speech.wav")).prefix(12)
    try (head + Data("JUNK".utf8) + Data([0, 0, 0, 0]))
      .write(to: URL(fileURLWithPath: folder("in/empty.wav")))
    let plugin = try CPlugin("unruly.c", defining: ["REJECTS_WAVE"], linking: ["-lpthread"])
    let run = try BatchRun(folder("in"), to: folder("out"), environment: plugin.environment)
    #expect(run.outcome("speech.wav") == "converted")
    let notes = run.events("finished")["speech.wav"]?["notes"] as? [String] ?? []
    #expect(
      notes.contains {
        $0.hasPrefix("the file is read by ") && $0.hasSuffix("the wave is too wild (plugin unruly)")
      }, "\(notes)")
    #expect(run.outcome("empty.wav") == "failed")
    #expect(run.reason("empty.wav") == "the wave is too wild (plugin unruly)")
  }

  @Test func `a plugin that does not fit into memory is noticed`() throws {
    let folder = TemporaryFolder()
    try folder.add("pattern-h264.mp4", as: "in/film.mp4")
    // Describes the plugins without the limit first.
    _ = try Respool.run("plugins", "list")
    let batch = try Running(
      [
        "/bin/sh", "-c", "ulimit -v 200000; exec \"$0\" \"$@\"", Respool.executable, "batch",
        folder("in"), "--to", folder("out"), "--preset", "web-480p", "--json",
      ], environment: Respool.environment, folder: nil)
    let run = try BatchRun(try batch.wait())
    #expect(run.status == 1)
    #expect(run.outcome("film.mp4") == "failed")
    #expect(run.reason("film.mp4").contains("memory"), "\(run.reason("film.mp4"))")
  }
}
