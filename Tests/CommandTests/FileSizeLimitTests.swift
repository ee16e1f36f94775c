import Foundation
import Testing

/// Presets that limit the size of outputs, in the sandboxes of commands and of workers.
@Suite struct FileSizeLimitTests {
  private let folder = TemporaryFolder()

  private func film(_ name: String) throws {
    let result = try Running(
      [
        "/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=size=320x180:rate=25:duration=4", "-vf", "noise=alls=40:allf=t", "-c:v",
        "libx264",
        "-preset", "ultrafast", folder(name),
      ], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
  }

  private func size(_ name: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: folder(name))
    return (facts[.size] as? Int) ?? 0
  }

  @Test func `a source without a stated duration gets an output within the limit`() throws {
    try film("a.h264")
    try folder.write(
      "container: mp4\nfileSizeLimit: 150k\naudio: none\n"
        + "video: {codec: h264, quality: 18, options: {preset: ultrafast}}\n", as: "p.yaml")
    let result = try Respool.run(
      "convert", folder("a.h264"), folder("b.mp4"), "--preset", folder("p.yaml"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try size("b.mp4") <= 150_000 && size("b.mp4") > 130_000)
  }

  @Test(arguments: ["on", "off"]) func `outputs are no larger than the preset allows`(
    sandbox: String
  )
    throws
  {
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try film("in/a.mp4")
    try folder.write(
      "container: mp4\nfileSizeLimit: 150k\naudio: none\n"
        + "video: {codec: h264, quality: 18, options: {preset: ultrafast}}\n", as: "p.yaml")
    let environment = ["RESPOOL_SANDBOX=\(sandbox)"]
    let convert = try Respool.start(
      ["convert", folder("in/a.mp4"), folder("b.mp4"), "--preset", folder("p.yaml")],
      environment: environment
    ).wait()
    #expect(convert.status == 0, "\(convert.errors)")
    #expect(convert.errors.contains("bit rates are lower than the preset states"))
    let batch = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", folder("p.yaml")],
      environment: environment
    ).wait()
    #expect(batch.status == 0, "\(batch.errors)")
    for name in ["b.mp4", "out/a.mp4"] {
      #expect(try size(name) <= 150_000 && size(name) > 130_000)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder("out"))
    #expect(Set(left) == ["a.mp4", ".respool"])
    // FFV1 has no bit rate.
    try folder.write(
      "container: mkv\nfileSizeLimit: 10k\naudio: none\nvideo: {codec: ffv1}\n", as: "tiny.yaml")
    let tiny = try Respool.start(
      ["convert", folder("in/a.mp4"), folder("c.mkv"), "--preset", folder("tiny.yaml")],
      environment: environment
    ).wait()
    #expect(tiny.status == 1)
    #expect(tiny.errors.contains("10000 bytes are too few"), "\(tiny.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("c.mkv")))
  }
}
