import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Files for editing programs, in which the type of the sample entry states the profile.
@Suite struct EditingCodecTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func film(_ format: String) throws -> String {
    let path = scratch.path("\(format).mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=0.4",
        "-f", "lavfi", "-i", "sine=440:duration=0.4", "-pix_fmt", format, "-c:v", "ffv1", "-c:a",
        "flac", path,
      ])
    return path
  }

  private func facts(_ path: String) throws -> String {
    try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries",
        "stream=codec_name,profile,codec_tag_string,width,height,pix_fmt,nb_read_frames", "-of",
        "csv=p=0", path,
      ]
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: [
    ("prores-mov", "prores,HQ,apch,640,360,yuv422p10le,10"),
    ("prores-lt", "prores,LT,apcs,640,360,yuv422p10le,10"),
    ("proxy-prores", "prores,Proxy,apco,640,360,yuv422p10le,10"),
    // FFmpeg decodes every 4444 to 12 bits.
    ("prores-4444", "prores,4444,ap4h,640,360,yuv444p12le,10"),
    ("dnxhr-hqx", "dnxhd,DNXHR HQX,AVdh,640,360,yuv422p10le,10"),
    ("dnxhr-sq", "dnxhd,DNXHR SQ,AVdh,640,360,yuv422p,10"),
    ("proxy-dnxhr", "dnxhd,DNXHR LB,AVdh,640,360,yuv422p,10"),
  ])
  func `the file states the profile`(preset: String, wanted: String) throws {
    let output = scratch.path("\(preset).mov")
    let source = try film("yuv422p10le")
    #expect(try Pipeline.export(source, preset, to: output).losses == [])
    #expect(try facts(output) == wanted)
    // A copy keeps what it states.
    let copy = scratch.path("copy-\(preset).mov")
    let report = try Pipeline.export(output, "remux-mov", to: copy)
    #expect(report.isCopy)
    #expect(try facts(copy) == wanted)
    guard wanted.hasPrefix("dnxhd") else { return }
    // Avid's box has the compression ID of the frames.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
    let box = try #require(bytes.firstRange(of: Data("ADHR0001".utf8)))
    let identifier = bytes[box.upperBound..<box.upperBound + 4].reduce(0) { $0 << 8 | Int($1) }
    let profiles = ["SQ": 1273, "LB": 1274, "QX": 1271]
    #expect(identifier == profiles[String(wanted.split(separator: ",")[1].suffix(2))])
  }

  @Test func `a profile that does not suit the pixel format is rejected`() throws {
    let path = scratch.path("p.yaml")
    try Data(
      """
      container: mov
      audio: none
      video: {codec: dnxhd, options: {profile: hqx}, pixelFormat: yuv422p}
      """.utf8
    ).write(to: URL(fileURLWithPath: path))
    let preset = try PresetLibrary(folders: []).preset(path)
    let session = try ExportSession(
      input: try film("yuv422p"), preset: preset, registry: Pipeline.registry)
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("o.mov"))
    }
    #expect(error?.message.contains("profile is hqx, which takes yuv422p10le") == true)
  }
}
