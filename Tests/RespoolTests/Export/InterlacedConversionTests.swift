import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Conversion of interlaced video: to progressive frames, or with fields that are kept and scaled separately.
@Suite struct InterlacedConversions {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates a file of frames with a white top field and a black bottom field.
  private func make(_ arguments: [String], _ name: String) throws -> String {
    let path = scratch.path(name)
    let lines = "color=s=720x576:r=25:d=0.4,geq=lum='if(mod(Y,2),16,235)':cb=128:cr=128"
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", lines + ",setfield=tff"] + arguments + [path])
    return path
  }

  @Test(arguments: [
    (["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "stated.mkv"),
    (["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "stream.ts"),
    (["-c:v", "v210", "-field_order", "tt"], "raw.mov"),
    // Only the frames themselves state that they are interlaced.
    (["-c:v", "libx264", "-crf", "10", "-flags", "+ildct+ilme", "-top", "1"], "unstated.mp4"),
  ])
  func `fields are scaled separately and coded as fields`(arguments: [String], name: String) throws
  {
    let source = try make(arguments, name)
    let output = scratch.path("out.mp4")
    let report = try Pipeline.export(source, "web-480p", to: output, deinterlace: .never)
    let track = try #require(
      try Asset(path: output, registry: Pipeline.registry).mediaDescription().tracks.first)
    #expect(track.height < 576 && track.height.isMultiple(of: 4))
    #expect(report.losses.count { $0.contains("interlaced") } == 1, "\(report.losses)")
    let probe = try #require(
      try Pipeline.samples(output, .video, .video(pixelFormat: .yuv420p)).first?.frame)
    #expect(probe.fieldOrder == .topFirst)
    let picture = try FFmpegPictures(output, width: track.width, height: track.height).luma(0)
    let rows = (40..<track.height - 40).map { picture.mean(x: 40..<400, y: $0..<$0 + 1) }
    let even = stride(from: 0, to: rows.count, by: 2).map { rows[$0] }
    let odd = stride(from: 1, to: rows.count, by: 2).map { rows[$0] }
    #expect((even.min() ?? 0) > 180 && (odd.max() ?? 255) < 80)
  }

  @Test func `interlaced video that is not scaled keeps its fields without a note`() throws {
    let source = try make(
      ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "source.mkv")
    let output = scratch.path("out.mp4")
    let report = try Pipeline.export(source, "web-1080p", to: output, deinterlace: .never)
    #expect(report.losses.isEmpty, "\(report.losses)")
    let frame = try #require(try Pipeline.pictures(output).first?.frame)
    #expect(frame.fieldOrder == .topFirst)
  }

  /// Interlaced sources of 50 fields a second in which everything moves, and the arguments that code them.
  static let films: [(name: String, arguments: [String])] = [
    ("pal.dv", ["-c:v", "dvvideo", "-pix_fmt", "yuv420p"]),
    ("disc.mpg", ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-b:v", "20M"]),
    ("avchd.mts", ["-c:v", "libx264", "-crf", "10", "-x264-params", "tff=1", "-f", "mpegts"]),
    ("studio.mov", ["-c:v", "prores_ks", "-field_order", "tt"]),
  ]

  private func film(_ name: String, _ arguments: [String]) throws -> String {
    let path = scratch.path(name)
    // DV has the bottom field first.
    let order = name == "pal.dv" ? "bff" : "tff"
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=720x576:r=50:d=1"]
        + ["-vf", "interlace=scan=\(order):lowpass=off,setfield=\(order)", "-flags", "+ilme+ildct"]
        + arguments + [path])
    return path
  }

  @Test(arguments: films)
  func `combs of interlaced films are removed as FFmpeg does`(name: String, arguments: [String])
    throws
  {
    let source = try film(name, arguments)
    let output = scratch.path("out.mp4")
    let report = try Pipeline.export(source, "web-1080p", to: output)
    #expect(report.losses.isEmpty, "\(report.losses)")
    #expect(report.notes.contains { $0.contains("deinterlaced") }, "\(report.notes)")
    let frames = try Pipeline.pictures(output)
    #expect(frames.count == 25)
    #expect(frames.allSatisfy { $0.frame?.fieldOrder ?? .progressive == .progressive })
    let size = try #require(frames.first?.frame)
    let made = try FFmpegPictures(output, width: size.width, height: size.height)
    let scale = ",scale=\(size.width):\(size.height)"
    let expected = try FFmpegPictures(
      source, "bwdif=send_frame:auto:interlaced" + scale, width: size.width, height: size.height)
    let combed = try FFmpegPictures(
      source, "scale=interl=1" + scale, width: size.width, height: size.height)
    for number in [5, 12, 20] {
      let distance = made.luma(number).distance(to: expected.luma(number))
      let without = combed.luma(number).distance(to: expected.luma(number))
      #expect(distance < 2 && distance < without / 2, "\(number): \(distance), \(without)")
    }
  }

  @Test func `each field becomes a frame on request`() throws {
    let source = try film(Self.films[1].name, Self.films[1].arguments)
    let output = scratch.path("out.mp4")
    try Pipeline.export(source, "web-1080p", to: output, deinterlace: .fields)
    let times = try Pipeline.pictures(output).map(\.presentationTimeStamp.seconds)
    #expect(times.count == 50)
    for (a, b) in zip(times, times.dropFirst()) { #expect(abs(b - a - 0.02) < 1e-6) }
  }
}
