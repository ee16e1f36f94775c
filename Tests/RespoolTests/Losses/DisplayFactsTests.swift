import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Facts about how video is displayed and audio is played, which a conversion keeps or reports as lost.
@Suite struct DisplayFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  /// Returns an MP4 file whose video track has the numbers a, b, c and d in its display matrix.
  private func film(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) throws -> String {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-y", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", path])
    // The matrix follows the layer, the alternate group and the volume.
    let matrix = [a, b, 0, c, d, 0].flatMap { UInt32(bitPattern: $0).bigEndianBytes }
    try Patch.apply(path, "tkhd", 0, at: 40, matrix)
    return path
  }

  /// Returns a Matroska file whose video track has `properties` of mkvpropedit, each as "name=value".
  private func matroskaFilm(_ properties: [String]) throws -> String {
    let path = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-y", "-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy", path])
    try PluginWorkshop.run(
      "mkvpropedit", ["-q", path, "-e", "track:v1"] + properties.flatMap { ["-s", $0] })
    return path
  }

  @Test(
    arguments: [
      (1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0), (0, -1, -1, 0), (-1, 0, 0, -1), (0, 1, -1, 0),
    ] as [(Int32, Int32, Int32, Int32)])
  func `mirroring is kept`(a: Int32, b: Int32, c: Int32, d: Int32) throws {
    let film = try film(a << 16, b << 16, c << 16, d << 16)
    let (copy, back) = (scratch.path("film.mkv"), scratch.path("back.mp4"))
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try Pipeline.export(copy, "remux-mp4", to: back).losses == [])
    let orientation = try media(film).tracks[0].displayMatrix.orientation
    #expect(try media(copy).tracks[0].displayMatrix.orientation == orientation)
    #expect(try media(back).tracks[0].displayMatrix.orientation == orientation)
  }

  /// FFmpeg exchanges top and bottom by exchanging left and right and half a turn; others use the pitch.
  @Test(arguments: [
    (180, 0, 0, 0, true), (0, 180, 0, 180, true), (180, 180, 0, 180, false),
    (-180, 0, 90, 270, true),
  ])
  func `poses of Matroska are read`(yaw: Int, pitch: Int, roll: Int, degrees: Int, mirrored: Bool)
    throws
  {
    let pose = ["yaw=\(yaw)", "pitch=\(pitch)", "roll=\(roll)"]
    let film = try matroskaFilm(pose.map { "projection-pose-\($0)" })
    let matrix = try media(film).tracks[0].displayMatrix
    #expect(matrix.orientation == .init(clockwiseDegrees: degrees, mirrored: mirrored))
  }

  @Test func `slanted poses are kept or named`() throws {
    let film = try matroskaFilm(["projection-pose-yaw=30"])
    let copy = scratch.path("copy.mkv")
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try PluginWorkshop.run("mkvinfo", [copy]).contains("yaw rotation: 30"))
    let losses = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the projection (Projection) of track 1"])
  }

  @Test func `stretched films keep their aspect ratio`() throws {
    // 90 degrees, and the width before that is stretched by 4/3.
    let film = try film(0, 87381, -65536, 0)
    let track = try media(film).tracks[0]
    #expect(track.sampleAspect == Rational(4, 3))
    #expect(track.displayMatrix == DisplayMatrix(clockwiseDegrees: 90))
    for (preset, name) in [("remux-mkv", "film.mkv"), ("remux-mp4", "copy.mp4")] {
      #expect(try Pipeline.export(film, preset, to: scratch.path(name)).losses == [])
      #expect(try media(scratch.path(name)).tracks[0].sampleAspect == Rational(4, 3))
    }
  }

  @Test(
    arguments: [
      (131072, 0, 0, 131072, "2 0 0 2"), (65536, 0, 32768, 65536, "1 0 0.5 1"),
    ] as [(Int32, Int32, Int32, Int32, String)])
  func `scaling and skew are kept or named`(a: Int32, b: Int32, c: Int32, d: Int32, numbers: String)
    throws
  {
    let film = try film(a, b, c, d)
    #expect(try Pipeline.export(film, "remux-mp4", to: scratch.path("copy.mp4")).losses == [])
    let loss = "lost: the scaling or skew of the display matrix of track 1 (\(numbers))"
    for (preset, name) in [("remux-mkv", "film.mkv"), ("webm-720p", "film.webm")] {
      #expect(try Pipeline.export(film, preset, to: scratch.path(name)).losses == [loss])
    }
  }

  /// Cameras on a gimbal write rotations that are not multiples of 90 degrees.
  @Test func `rotations by any angle are kept or named`() throws {
    // A rotation of 30 degrees clockwise.
    let (film, copy) = (try film(56756, 32768, -32768, 56756), scratch.path("film.mkv"))
    func angle(_ path: String) throws -> Int? {
      try media(path).tracks[0].displayMatrix.clockwiseAngle.map { Int($0.rounded()) }
    }
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try angle(copy) == 30)
    let small = scratch.path("small.mp4")
    #expect(try Pipeline.export(film, "web-480p", to: small).losses == [])
    #expect(try angle(small) == 30)
    let losses = try Pipeline.export(film, "webm-720p", to: scratch.path("out.webm")).losses
    #expect(losses == ["lost: the rotation of track 1 (30 degrees)"])
  }

  @Test func `the display size stays in Matroska`() throws {
    let copy = scratch.path("copy.mkv")
    for (width, height, unit) in [(1280, 720, 0), (16, 9, 3)] {
      let film = try matroskaFilm([
        "display-width=\(width)", "display-height=\(height)", "display-unit=\(unit)",
      ])
      try? FileManager.default.removeItem(atPath: copy)
      #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
      let words = try PluginWorkshop.run("mkvinfo", [copy])
      #expect(words.contains("Display width: \(width)\n") && words.contains("height: \(height)\n"))
      try? FileManager.default.removeItem(atPath: scratch.path("out.mp4"))
      #expect(try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses == [])
    }
  }

  /// No size in whole pixels has the display aspect ratio; Matroska stores the ratio.
  @Test func `pixel aspect ratios are exact`() throws {
    let film = scratch.path("film.mov")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=176x144:rate=25:duration=0.2"]
        + ["-vf", "setsar=93/85", "-pix_fmt", "yuv420p", film])
    #expect(try media(film).tracks[0].sampleAspect == Rational(93, 85))
    let copy = scratch.path("copy.mkv")
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try media(copy).tracks[0].sampleAspect == Rational(93, 85))
    let shown = try PluginWorkshop.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=sample_aspect_ratio", "-of", "csv=p=0", copy])
    #expect(shown == "93:85\n")
  }

  /// H.264 stores closed captions of frames; VP9 does not.
  @Test func `closed captions are kept or named`() throws {
    let film = scratch.path("film.mp4")
    let caption: [UInt8] =
      [0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03, 0x41, 0xFF, 0xFC, 0x94, 0x20, 0xFF]
    let input = Writing.videoInput()
    let writer = try Writing.writer(scratch, "film.mp4")
    try Writing.start(writer, [input])
    for number in 0..<5 {
      var frame = try FrameFixture.flat(.yuv420p, 96, 64, [100, 128, 128])
      frame.sideData = [SideData(.registeredUserData, caption)]
      let sample = SampleBuffer(
        try #require(PixelBuffer(frame)), at: Writing.time(number), duration: Writing.time(1))
      try #require(input.append(sample))
    }
    input.markAsFinished()
    writer.finishWritingAndWait()
    try #require(writer.status == .completed)
    #expect(try Pipeline.export(film, "web-480p", to: scratch.path("small.mp4")).losses == [])
    let losses = try Pipeline.export(film, "webm-720p", to: scratch.path("film.webm")).losses
    #expect(losses == ["lost: the closed captions of track 1"])
  }

  /// SDR video may also have mastering display metadata; it is not tone mapped.
  @Test func `mastering display metadata of SDR is named`() throws {
    let chromaticities = [
      "red-x=0.68", "red-y=0.32", "green-x=0.265", "green-y=0.69", "blue-x=0.15", "blue-y=0.06",
    ]
    let film = try matroskaFilm(
      chromaticities.map { "chromaticity-coordinates-\($0)" } + [
        "white-coordinates-x=0.3127", "white-coordinates-y=0.329", "max-luminance=1000",
        "min-luminance=0.01",
      ])
    #expect(try Pipeline.export(film, "remux-mp4", to: scratch.path("copy.mp4")).losses == [])
    let losses = try Pipeline.export(film, "web-480p", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the mastering display metadata of track 1"])
  }

  /// A box needs all values; Matroska may store some of them.
  @Test func `incomplete mastering display metadata is kept or named`() throws {
    let film = try matroskaFilm(["max-luminance=1000", "min-luminance=0.01"])
    let copy = scratch.path("copy.mkv")
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try PluginWorkshop.run("mkvinfo", [copy]).contains("Maximum luminance: 1000"))
    let losses = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["lost: the incomplete mastering display metadata of track 1"])
  }

  /// Fields of the headers of movie, track and media that no tag stands for.
  @Test func `fields of headers are kept or named`() throws {
    let (film, copy) = (scratch.path("film.mp4"), scratch.path("copy.mp4"))
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy", film])
    let change = { (type: String, index: Int, offset: Int, bytes: [UInt8]) in
      try Patch.apply(film, type, index, at: offset, bytes)
    }
    try change("mvhd", 0, 20, [0, 1, 0x80, 0, 0, 0x80])
    let tracks = try media(film).tracks
    let audio = try #require(tracks.firstIndex { $0.kind == .audio })
    try change("tkhd", audio, 36, [0, 0x40])
    try change("smhd", 0, 4, [0xFF, 0x80])
    try change("vmhd", 0, 4, [0, 0x20, 0, 1, 0, 2, 0, 3])
    try change("avc1", 1, 28, [0, 150, 0, 0, 0, 150, 0, 0])
    #expect(try Pipeline.export(film, "remux-mp4", to: copy).losses == [])
    let (before, after) = (try media(film), try media(copy))
    #expect(after.preferredRate == 1.5 && after.preferredVolume == 0.5)
    #expect(after.tracks[audio].preferredVolume == 0.25)
    for (old, new) in zip(before.tracks, after.tracks) { #expect(old.sideData == new.sideData) }
    let losses = try Pipeline.export(film, "remux-mkv", to: scratch.path("film.mkv")).losses
    let (video, sound) = (2 - audio, audio + 1)
    #expect(
      Set(losses) == [
        "lost: the playback rate (1.5)", "lost: the playback volume (50 %)",
        "lost: the playback volume of track \(sound) (25 %)",
        "lost: the balance (smhd) of track \(sound)",
        "lost: the graphics mode (vmhd) of track \(video)",
        "lost: the resolution in pixels per inch of track \(video)",
      ])
  }

  /// Some writers set the date of the track's header only.
  @Test func `dates of track headers are read`() throws {
    let film = try film(1 << 16, 0, 0, 1 << 16)
    // 2020-01-02T03:04:05Z in seconds from 1904.
    let date = UInt32(1_577_934_245 + 2_082_844_800).bigEndianBytes
    try Patch.apply(film, "tkhd", 0, at: 4, date)
    let (copy, back) = (scratch.path("film.mkv"), scratch.path("back.mp4"))
    #expect(try Pipeline.export(film, "remux-mkv", to: copy).losses == [])
    #expect(try Pipeline.export(copy, "remux-mp4", to: back).losses == [])
    let tags = try media(back).tracks[0].metadata
    #expect(
      tags.first { $0.name == "creation_time" }?.value.hasPrefix("2020-01-02T03:04:05") == true)
  }
}
