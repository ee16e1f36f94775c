import Foundation
import Testing

/// The number of a track, its position from 1, which is the same in all reports, messages and options.
@Suite struct TrackNumberTests {
  private let folder = TemporaryFolder()

  /// Makes an MPEG transport stream, whose tracks have PIDs from 256 on, and returns its path.
  private func transportStream() throws -> String {
    let path = folder("film.ts")
    let result = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-i", Respool.media + "/pattern-h264.mp4", "-c", "copy",
        path,
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  @Test func `inspect counts tracks from one and options accept its numbers`() throws {
    let path = try transportStream()
    let text = try Respool.run("inspect", path).output
    #expect(text.contains("video 1: h264") && text.contains("audio 2: aac"), "\(text)")
    let document = try Respool.run("inspect", "--json", path).object()
    let file = try #require((document["files"] as? [[String: Any]])?.first)
    let tracks = try #require(file["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["number"] as? Int } == [1, 2])
    #expect(tracks.map { $0["id"] as? Int } == [256, 257])

    let hash = try Respool.run("hash", "--packets", "--track", "2", path)
    #expect(hash.output.contains("#codec_id 0: aac"))
    let drawn = try Respool.run("waveform", path, "--track", "2", "-o", folder("a.png"))
    #expect(drawn.status == 0, "\(drawn.errors)")
    for command in [["hash", path], ["waveform", path, "-o", folder("b.png")]] {
      let result = try Respool.start(command + ["--track", "3"]).wait()
      #expect(result.status == 2)
      #expect(
        result.errors == "respool: \(path): there is no track 3; the file has tracks 1 to 2\n")
    }
  }

  @Test func `notes and decisions have the track numbers of inspect`() throws {
    let path = try transportStream()
    let explained = try Respool.run("presets", "explain", "wav", path).output
    #expect(explained.contains("track 1") && !explained.contains("track 0"), "\(explained)")
    let converted = try Respool.run("convert", path, folder("a.wav"))
    #expect(converted.status == 0)
    #expect(
      converted.errors.contains("track 1 (h264 video; bit depth 8) is dropped"),
      "\(converted.errors)")
  }
}
