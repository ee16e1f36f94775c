import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Chapters that outputs keep, and what of them is reported as lost.
@Suite struct ChapterFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  /// Creates audio of `seconds` with two chapters that end at 1.5 s.
  private func book(_ name: String, seconds: Double) throws -> String {
    let list = scratch.path("list.txt")
    let chapters = [(0, 1000), (1000, 1500)].map {
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0)\nEND=\($1)\ntitle=from \($0)\n"
    }
    try Data((";FFMETADATA1\n" + chapters.joined()).utf8).write(to: URL(filePath: list))
    let path = scratch.path(name)
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=duration=\(seconds)", "-i", list]
        + ["-map", "0", "-map_chapters", "1", "-c:a", "aac", path])
    return path
  }

  /// Returns the check of a copy of `source` in Matroska.
  private func check(of source: MediaDescription) throws -> OutputCheck {
    let preset = try Pipeline.preset("remux-mkv")
    let settings = try PresetResolver.resolve(
      preset: preset, source: source, available: Pipeline.registry.availablePlugins)
    return OutputCheck(
      source: source, settings: settings, tags: FileTags(of: source),
      trackTags: nil)
  }

  @Test func `an end of the last chapter before the end is kept or named`() throws {
    let (late, whole) = (try book("a.mka", seconds: 3), try book("b.mka", seconds: 1.5))
    #expect(try Pipeline.export(late, "remux-mkv", to: scratch.path("a.mkv")).losses == [])
    let lost = try Pipeline.export(late, "remux-mp4", to: scratch.path("a.mp4")).losses
    #expect(lost.count == 1, "\(lost)")
    #expect(lost.first?.hasPrefix("changed: the end of the last chapter from 1.5 to 3") == true)
    #expect(try Pipeline.export(whole, "remux-mp4", to: scratch.path("b.mp4")).losses == [])
  }

  /// Apple's players show the chapters of a text track; a list of chapters has no ends.
  @Test func `a text track of chapters stays`() throws {
    let source = try book("book.mov", seconds: 3)
    #expect(try media(source).sideData[.chapterTrack] != nil)
    #expect(try Pipeline.export(source, "remux-mp4", to: scratch.path("book.mp4")).losses == [])
    let copy = try media(scratch.path("book.mp4"))
    #expect(copy.references.contains { $0.type == "chap" })
    #expect(copy.chapters.last?.end == 1_500_000_000)
    #expect(try Pipeline.export(source, "remux-mkv", to: scratch.path("book.mkv")).losses == [])
    let plain = try book("plain.mp4", seconds: 3)
    try #require(try media(plain).sideData[.chapterTrack] != nil)
  }

  @Test func `chapters in another order than that of their times lose nothing`() throws {
    var source = try media(try book("d.mka", seconds: 1.5))
    var output = source
    source.chapters.reverse()
    let check = try check(of: source)
    #expect(check.losses(in: output) == [])
    (output.chapters[0].title, output.chapters[1].title) =
      (output.chapters[1].title, output.chapters[0].title)
    #expect(check.losses(in: output).count == 1)
  }

  @Test func `a difference far after the start is shown`() throws {
    var source = try media(try book("c.mka", seconds: 1.5))
    let start = String(repeating: "a", count: 80)
    source.chapters[0].title = start + "one"
    var output = source
    output.chapters[0].title = start + "two"
    let check = try check(of: source)
    let words = "...aaaaaaaaaaaaaaaaaaaa"
    #expect(
      check.losses(in: output) == [
        "changed: the chapter titles from \(words)one | from 1000 to \(words)two | from 1000"
      ])
  }
}
