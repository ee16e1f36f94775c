import Foundation
import Testing

/// Video whose frames have other fields than its file states.
@Suite struct SeenFieldTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws -> (output: String, errors: String) {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-hide_banner", "-y"] + arguments,
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
    return (result.output, result.errors)
  }

  /// Writes video of a filter graph, whose file states fields or progressive frames; lossless with the quantizer 0.
  private func write(
    _ name: String, _ graph: String, statesFields: Bool = false, quantizer: Int = 0
  ) throws {
    let fields =
      statesFields ? ["-flags", "+ildct+ilme", "-x264-params", "tff=1", "-field_order", "tt"] : []
    _ = try ffmpeg(
      ["-f", "lavfi", "-i", graph + ",setfield=\(statesFields ? "tff" : "prog")"]
        + [
          "-c:v", "libx264", "-qp", "\(quantizer)", "-preset", "ultrafast", "-g", "25", "-pix_fmt",
          "yuv420p",
        ]
        + fields + [folder(name)])
  }

  /// Waves that move, as those of film do: finer ones confuse any look at them.
  ///
  /// FFmpeg computes every second pixel, as its expressions are slow.
  private static func waves(_ width: Int, _ height: Int, rate: String, seconds: Int) -> String {
    "nullsrc=s=\(width / 2)x\(height / 2):r=\(rate):d=\(seconds),geq=cb=128:cr=128:"
      + "lum='128+60*sin((2*X+T*300)/17)*sin((2*Y+T*90)/13)+30*sin((2*X-2*Y-T*400)/23)',"
      + "scale=\(width):\(height),format=yuv420p"
  }

  private func convert(_ name: String, _ edits: [String] = [], deinterlace: String = "auto") throws
    -> String
  {
    try folder.write(
      "name: look\ncontainer: mkv\naudio: none\nvideo: {codec: ffv1, deinterlace: \(deinterlace)}\n",
      as: "look.yaml")
    try? FileManager.default.removeItem(atPath: folder("out.mkv"))
    let result = try Respool.start(
      ["convert", folder(name), folder("out.mkv"), "--preset", folder("look.yaml")] + edits
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
    return result.errors
  }

  /// Hashes of all frames.
  private func frames(_ name: String) throws -> [Substring] {
    try ffmpeg(["-i", folder(name), "-vsync", "passthrough", "-f", "framemd5", "-"]).output
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
        $0.split(separator: " ").last
      }
  }

  /// Signal-to-noise ratio of the output against a filter graph, in dB.
  private func ratio(to graph: String) throws -> Double {
    let text = try ffmpeg([
      "-i", folder("out.mkv"), "-f", "lavfi", "-i", graph, "-lavfi",
      "[0]settb=1/1000,setpts=N[a];[1]format=yuv420p,settb=1/1000,setpts=N[b];[a][b]psnr=shortest=1",
      "-f", "null", "-",
    ]).errors
    let value = text.split(separator: "average:").last?.split(separator: " ").first
    return try #require(value.flatMap { Double($0) }, "\(text)")
  }

  private static let fields = waves(720, 576, rate: "50", seconds: 3) + ",tinterlace="

  @Test func `frames with fields are deinterlaced, whatever the file states`() throws {
    let fields = Self.fields + "4"
    try write("lie.mkv", fields)
    let notes = try convert("lie.mkv")
    #expect(
      notes.contains("interlaced, which the file does not state, top field first"), "\(notes)")
    let made = try ratio(to: fields + ",setfield=tff,bwdif=0:0:0")
    let kept = try ratio(to: fields)
    #expect(made > 45 && kept < 32, "\(made) \(kept)")
    #expect(try convert("lie.mkv", deinterlace: "fields").contains("a frame for each field"))
    #expect(try frames("out.mkv").count == 150)
    #expect(try !convert("lie.mkv", deinterlace: "never").contains("interlaced"))
    #expect(try frames("out.mkv") == frames("lie.mkv"))
  }

  @Test func `fields of the other order are deinterlaced in theirs`() throws {
    let fields = Self.fields + "5"
    try write("lie.mkv", fields, statesFields: true)
    #expect(try convert("lie.mkv").contains("bottom field first"))
    let made = try ratio(to: fields + ",setfield=bff,bwdif=0:1:0")
    #expect(made > 45, "\(made)")
  }

  @Test(arguments: [false, true])
  func `progressive frames are not changed, whatever the file states`(_ statesFields: Bool) throws {
    try write(
      "film.mkv", Self.waves(720, 480, rate: "30000/1001", seconds: 3), statesFields: statesFields)
    let notes = try convert("film.mkv")
    #expect(try frames("out.mkv") == frames("film.mkv"))
    #expect(notes.contains("not deinterlaced") == statesFields, "\(notes)")
  }

  @Test func `progressive frames between interlaced ones are not changed`() throws {
    let progressive = Self.waves(720, 576, rate: "25", seconds: 3)
    try write("mixed.mkv", "\(progressive)[a];\(Self.fields)4[b];[a][b]concat=n=2")
    #expect(try convert("mixed.mkv").contains("deinterlaced, a frame for each pair"))
    let (before, after) = try (frames("mixed.mkv"), frames("out.mkv"))
    #expect(after.count == before.count)
    // A few frames at the change have neighbours of the other kind.
    let kept = zip(before[..<70], after).count { $0 == $1 }
    let changed = zip(before[80...], after[80...]).count { $0 != $1 }
    #expect(kept >= 68 && changed >= 68, "\(kept) \(changed)")
  }

  @Test func `parts of films whose files state no fields are deinterlaced`() throws {
    // H.264 has its fields in the stream only.
    let moving = Self.waves(720, 480, rate: "60000/1001", seconds: 2)
    try write("film.mp4", moving + ",tinterlace=interleave_top", statesFields: true)
    for edit in [["--to", "1"], ["--from", "0.5"], []] {
      let notes = try convert("film.mp4", edit)
      #expect(notes.contains("deinterlaced, a frame for each pair of fields"), "\(edit): \(notes)")
    }
  }

  // Compression hides some of the repeated fields.
  @Test(arguments: [(false, 0), (true, 0), (false, 27)])
  func `telecined film has its own frames again`(statesFields: Bool, quantizer: Int) throws {
    let film = Self.waves(720, 480, rate: "24000/1001", seconds: 4)
    try write(
      "film.mkv", film + ",telecine=first_field=top:pattern=23", statesFields: statesFields,
      quantizer: quantizer)
    let notes = try convert("film.mkv")
    #expect(notes.contains("telecined film"), "\(notes)")
    let count = try frames("out.mkv").count
    #expect((94...98).contains(count), "\(count)")
    let made = try ratio(to: film)
    #expect(made > (quantizer == 0 ? 40 : 30), "\(made)")
  }
}
