import Foundation
import Glibc
import Testing

/// Limits that the system sets for a process.
@Suite struct LimitTests {
  private let folder = TemporaryFolder()

  private func run(_ arguments: [String], limit: String) throws -> Respool.Result {
    try Running(
      ["/bin/sh", "-c", "\(limit); exec \"$0\" \"$@\"", Respool.executable] + arguments,
      environment: Respool.environment, folder: nil
    ).wait()
  }

  @Test func `a limit of open files that is too low is named`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    // Describes the plugins without the limit first.
    _ = try Respool.run("plugins", "list")
    let result = try run(
      ["batch", folder("in"), "--to", folder("out"), "--preset", "wav"], limit: "ulimit -n 8")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "too many open files: the limit is 8; raise it with ulimit -n"),
      "\(result.errors)")
    #expect(!result.errors.contains("in a row"), "\(result.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")).isEmpty)
  }

  @Test func `a conversion that takes too much memory is stopped`() throws {
    let output = folder("out.mkv")
    let result = try Respool.run(
      "convert", Respool.media + "/clap-and-flash.mp4", output, "--preset", "archive-mkv",
      "--limit-memory", "20M", "--json")
    #expect(result.status == 1)
    let reason = "clap-and-flash.mp4: stopped: the work took "
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(result.output.contains(reason) && result.output.contains("more than 20 MB"))
    // Another process removes the unfinished output when this one has ended.
    for _ in 0..<500 where !folder.contents.isEmpty { usleep(10_000) }
    #expect(folder.contents.isEmpty, "\(folder.contents)")
  }

  @Test(arguments: [
    ("libx264", "x264", "clap-and-flash.mp4", "mp4", [0, 3, 10, 20, 25, 30, 40, 50, 60]),
    ("libavutil", "aac", "speech.wav", "m4a", [6, 7, 8]),
  ])
  func `an encoder that runs out of memory is named`(
    _ library: String, _ encoder: String, _ clip: String, _ suffix: String, _ counts: [Int]
  ) throws {
    let starved = try CPlugin("starved.c", linking: ["-ldl"])
    // Plugin descriptions made with too little memory must not be in the cache of other tests.
    let cache = "XDG_CACHE_HOME=\(folder("cache"))"
    _ = try Respool.start(["plugins", "list"], environment: [cache]).wait()
    var messages: Set<String> = []
    for count in counts {
      let output = folder("\(count).\(suffix)")
      let result = try Respool.start(
        [
          "convert", Respool.media + "/" + clip, output, "--preset",
          suffix == "mp4" ? "web-480p" : "aac-160k",
        ],
        environment: [
          cache, "LD_PRELOAD=\(starved.path)", "STARVED=\(library)", "STARVED_AFTER=\(count)",
        ]
      ).wait()
      if result.status == 0 { continue }
      #expect(result.status == 1, "after \(count): \(result.errors)")
      #expect(result.errors.contains("memory"), "after \(count): \(result.errors)")
      messages.insert(result.errors)
    }
    #expect(
      messages.contains { $0.contains("memory ran out: \(encoder) ") }, "\(messages.sorted())")
  }
}
