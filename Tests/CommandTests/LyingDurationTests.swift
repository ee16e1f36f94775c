import Foundation
import Testing

/// Thumbnails of files whose headers state hours over seconds of video.
@Suite struct LyingDurationTests {
  private let folder = TemporaryFolder()

  @Test(arguments: ["mkv", "flv", "mp4"]) func `thumbnails are taken where frames are`(
    name: String
  ) throws {
    let file = folder("a.\(name)")
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=96x64:r=25:d=4",
        "-c:v", "libx264", file,
      ])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    func offset(of mark: [UInt8]) throws -> Int {
      try #require(bytes.indices.first { bytes[$0...].starts(with: mark) }) + mark.count
    }
    func put(_ value: some FixedWidthInteger, at offset: Int) {
      withUnsafeBytes(of: value.bigEndian) { part in
        for (index, byte) in part.enumerated() { bytes[offset + index] = byte }
      }
    }
    switch name {
    case "mkv":
      // Duration (0x4489) in milliseconds.
      put(Double(36_000_000).bitPattern, at: try offset(of: [0x44, 0x89, 0x88]))
    case "flv":
      put(
        Double(36_000).bitPattern, at: try offset(of: Array("duration".utf8)) + 1)
    default:
      // Durations in milliseconds of version 0, and that of the edit.
      put(UInt32(36_000_000), at: try offset(of: Array("mvhd".utf8)) + 16)
      put(UInt32(36_000_000), at: try offset(of: Array("tkhd".utf8)) + 20)
      put(UInt32(36_000_000), at: try offset(of: Array("elst".utf8)) + 8)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let result = try Respool.run(
      "thumbnails", file, "-o", folder("a.png"), "--count", "4", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let times = try #require(json?["times"] as? [Double])
    #expect(times.count == 4 && times.allSatisfy { $0 < 4 } && (times.last ?? 0) > 3, "\(times)")
    #expect(result.errors.contains("the header states"), "\(result.errors)")
  }
}
