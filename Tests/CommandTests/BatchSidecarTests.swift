import Foundation
import Testing

/// Files of subtitles beside the films of a batch.
@Suite struct BatchSidecarTests {
  private let folder = TemporaryFolder()
  private static let text = "1\n00:00:00,500 --> 00:00:01,500\nGr\u{FC}\u{DF}e\n"

  private func run(_ preset: String = "remux-mkv", _ words: [String] = []) throws -> (
    status: Int32, outcomes: [String: (status: String, reason: String, losses: [String])]
  ) {
    let result = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", preset, "--json"] + words
    ).wait()
    var outcomes: [String: (String, String, [String])] = [:]
    for event in try result.events() where event["event"] as? String == "finished" {
      let name = (event["input"] as? String ?? "").split(separator: "/").last.map(String.init) ?? ""
      outcomes[name] = (
        event["status"] as? String ?? "",
        event["reason"] as? String ?? event["error"] as? String ?? "",
        event["losses"] as? [String] ?? []
      )
    }
    return (result.status, outcomes)
  }

  private func subtitles(_ name: String) throws -> [String] {
    let document = try Respool.run("inspect", "--json", folder("out/\(name)")).object()
    let files = try #require(document["files"] as? [[String: Any]])
    let tracks = try #require(files.first?["tracks"] as? [[String: Any]])
    return tracks.filter { $0["type"] as? String == "subtitle" }.map {
      $0["language"] as? String ?? "-"
    }
  }

  @Test func `text is added, and an output is made again if a file of it changes`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.add("clap-and-flash.mp4", as: "in/other.mp4")
    try folder.write(Self.text, as: "in/film.de.forced.srt")
    var made = try run()
    #expect(made.status == 0)
    #expect(made.outcomes["film.mp4"]?.status == "copied")
    #expect(made.outcomes["film.de.forced.srt"]?.status == "skipped")
    #expect(made.outcomes["film.de.forced.srt"]?.reason == "subtitles of film.mp4")
    #expect(try subtitles("film.mkv") == ["ger"])
    #expect(try subtitles("other.mkv") == [])
    #expect(try run().outcomes["film.mp4"]?.status != "copied")
    // Change times of some file systems have the resolution of a clock tick.
    usleep(50_000)
    try folder.write(Self.text, as: "in/film.en.srt")
    made = try run()
    #expect(made.outcomes["film.mp4"]?.status == "copied")
    #expect(made.outcomes["other.mp4"]?.status != "copied")
    #expect(try subtitles("film.mkv") == ["ger", "eng"])
    #expect(try run().outcomes["film.mp4"]?.status != "copied")
  }

  @Test func `an output is made again if a file of it is removed`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.add("clap-and-flash.mp4", as: "in/other.mp4")
    try folder.write(Self.text, as: "in/film.de.srt")
    try folder.write(Self.text, as: "in/film.en.srt")
    #expect(try run().status == 0)
    #expect(try subtitles("film.mkv") == ["ger", "eng"])
    for (removed, left) in [("film.de.srt", ["eng"]), ("film.en.srt", [])] {
      try FileManager.default.removeItem(atPath: folder("in/" + removed))
      let made = try run()
      #expect(made.outcomes["film.mp4"]?.status == "copied", "\(made)")
      #expect(made.outcomes["other.mp4"]?.status != "copied")
      #expect(try subtitles("film.mkv") == left)
      #expect(try run().outcomes["film.mp4"]?.status != "copied")
    }
  }

  @Test func `the reason to skip a file of subtitles follows its film`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.add("clap-and-flash.mp4", as: "in/other.mp4")
    try folder.write(Self.text, as: "in/film.srt")
    let reason = "subtitles of film.mp4"
    for _ in 1...2 { #expect(try run().outcomes["film.srt"]?.reason == reason) }
    try FileManager.default.removeItem(atPath: folder("in/film.mp4"))
    for _ in 1...2 {
      let without = try #require(try run().outcomes["film.srt"])
      #expect(without.status == "skipped" && !without.reason.contains("film.mp4"))
    }
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    #expect(try run().outcomes["film.srt"]?.reason == reason)
  }

  @Test func `a plan knows subtitles that were added by work that was not collected`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    #expect(try run().status == 0)
    try folder.write(Self.text, as: "in/film.srt")
    let plan = folder("films.respool")
    let words = [folder("in"), "--to", folder("out"), "--preset", "remux-mkv"]
    #expect(try Respool.start(["plan"] + words + ["-o", plan]).wait().status == 0)
    #expect(try Respool.run("work", plan, "--shard", "1/1").status == 0)
    let again = try Respool.start(["plan"] + words + ["-o", folder("next.respool")]).wait()
    #expect(again.errors.contains("0 to convert, 0 to copy"), "\(again.errors)")
    #expect(try run().outcomes["film.mp4"]?.status == "skipped")
  }

  @Test func `a preset can leave files of subtitles alone`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.write(Self.text, as: "in/film.srt")
    try folder.write("extends: remux-mkv\nsidecars: ignore\n", as: "plain.yaml")
    #expect(try run(folder("plain.yaml")).status == 0)
    #expect(try subtitles("film.mkv") == [])
  }

  @Test func `a file that cannot be read is named, and fails strict batches`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.write(Self.text, as: "in/film.srt")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/film.en.srt"), withDestinationPath: "/nonexistent")
    let made = try run()
    #expect(made.outcomes["film.mp4"]?.status == "copied")
    #expect(made.outcomes["film.mp4"]?.losses.count == 1)
    #expect(made.outcomes["film.mp4"]?.losses.first?.hasPrefix("film.en.srt is left out: ") == true)
    #expect(try subtitles("film.mkv") == ["-"])
    try FileManager.default.removeItem(atPath: folder("out"))
    let strict = try run("remux-mkv", ["--strict"])
    #expect(strict.outcomes["film.mp4"]?.status == "failed")
  }

  @Test func `subtitles of a DVD are named once, and fail no batch`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.write("# VobSub index file, v7 (do not modify this line!)\n", as: "in/film.idx")
    try folder.write("no media", as: "in/film.sub")
    let made = try run()
    #expect(made.status == 0)
    #expect(made.outcomes["film.mp4"]?.status == "copied")
    #expect(made.outcomes["film.mp4"]?.losses.count == 1)
    #expect(
      made.outcomes["film.mp4"]?.losses.first?.hasPrefix("film.idx and film.sub are left out: ")
        == true)
    for name in ["film.idx", "film.sub"] {
      #expect(made.outcomes[name]?.status == "skipped")
      #expect(made.outcomes[name]?.reason == "subtitles of film.mp4")
    }
  }

  /// The subtitles are a loss only where the preset adds files of subtitles.
  @Test func `subtitles of a DVD fail strict batches whose preset adds them`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/film.mp4")
    try folder.write("# VobSub index file, v7 (do not modify this line!)\n", as: "in/film.idx")
    try folder.write("no media", as: "in/film.sub")
    #expect(try run("remux-mkv", ["--strict"]).outcomes["film.mp4"]?.status == "failed")
    try folder.write("extends: remux-mkv\nsidecars: ignore\n", as: "plain.yaml")
    let made = try run(folder("plain.yaml"), ["--strict"])
    #expect(made.status == 0)
    #expect(made.outcomes["film.mp4"]?.status == "copied")
    #expect(made.outcomes["film.mp4"]?.losses == [])
    for name in ["film.idx", "film.sub"] {
      #expect(
        made.outcomes[name]?.reason
          == "subtitles of a DVD (film.idx and film.sub), which are not read")
    }
  }
}
