import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Files of WebVTT as sources.
@Suite struct WebVTTFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func read(_ bytes: [UInt8]) throws -> Captions.File {
    try Captions.read(scratch, "a.vtt", bytes)
  }

  private static let text = """
    WEBVTT - title
    Kind: captions

    STYLE
    ::cue { color: lime }

    NOTE first

    id
    01:00:01.500 --> 01:00:02.000 line:0  align:start
    one
    two

    NOTE second
    00:01.000 --> 00:02.000
    <b>three</b>
    00:03.000-->00:04.000
    four
    """

  @Test(arguments: ["\n", "\r\n", "\r"]) func `cues have header, settings and comments`(
    end: String
  ) throws {
    let file = try read(Array(Self.text.replacing("\n", with: end).utf8))
    #expect(
      file.header
        == "WEBVTT - title\nKind: captions\n\nSTYLE\n::cue { color: lime }\n\nNOTE first")
    #expect(
      file.cues == [
        "1000 1000 [\nNOTE second] <b>three</b>", "3000 1000 [] four",
        "3601500 500 [line:0  align:start\nid] one\ntwo",
      ])
    #expect(file.damage == [])
  }

  @Test func `a file with a byte order mark is read`() throws {
    let text = "WEBVTT\n\n00:01.000 --> 00:02.000\nGrüße"
    var bytes: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(try read(bytes).cues == ["1000 1000 [] Grüße"])
    #expect(try read([0xEF, 0xBB, 0xBF] + Array(text.utf8)).cues == ["1000 1000 [] Grüße"])
    #expect(try read(Array(text.utf8)).header == "")
  }

  @Test func `a cue without valid times is damage, and the others are read`() throws {
    let file = try read(
      Array("WEBVTT\n\n00:0x.000 --> 00:02.000\na\n\n00:03.000 --> 00:04.000\nb\n".utf8))
    #expect(file.cues == ["3000 1000 [] b"] && file.damage.count == 1)
  }
}
