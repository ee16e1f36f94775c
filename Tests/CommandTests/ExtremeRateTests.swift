import Foundation
import Testing

/// Video whose frames last very long or very short.
@Suite struct ExtremeRateTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [("1/86400", 864_000.0), ("1/3600", 36_000), ("1/60", 600), ("90000", 0.0002)])
  func `video of an extreme rate keeps all frames and times`(rate: String, duration: Double) throws
  {
    // Times of MKV are in milliseconds.
    let name = rate == "90000" ? "a.mp4" : "a.mkv"
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
        "testsrc=s=96x64:r=\(rate):d=\(duration)", "-c:v", "libx264", folder(name),
      ])
    let result = try Respool.run(
      "convert", folder(name), folder("b.mp4"), "--preset", "web-480p", "--verify", "full")
    #expect(result.status == 0, "\(result.errors)")
    func times(_ file: String) throws -> [Double] {
      try Tool.run(
        "ffprobe", ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", file]
      ).split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.sorted()
    }
    let (before, after) = (try times(folder(name)), try times(folder("b.mp4")))
    #expect(after.count == before.count && before.count > 8)
    for (one, other) in zip(before, after) {
      #expect(abs((one - before[0]) - (other - after[0])) <= 0.001)
    }
  }
}
