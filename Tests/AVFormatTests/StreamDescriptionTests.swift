import Foundation
import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Properties of tracks that libavformat stores in more than one way.
@Suite struct StreamDescriptionTests {
  @Test func `the depth of a raw FLAC stream is that of its header`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID()).flac").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", "-c:a", "flac",
      "-sample_fmt", "s32", "-bits_per_raw_sample", "24", path,
    ]
    try process.run()
    process.waitUntilExit()
    let memory = MemoryFile(Array(try Data(contentsOf: URL(filePath: path))), name: "a.flac")
    try withExtendedLifetime(memory) {
      let track = try AVFormatDemuxer(source: memory.byteSource, settings: .init()).media.tracks[0]
      #expect(track.bitsPerSample == 24)
    }
  }

  @Test(arguments: [("top", "tff"), ("bottom", "bff")])
  func `fields of a codec with an identifier of Windows have the order in which they are shown`(
    first: String, order: String
  ) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID()).mkv").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=50", "-t", "0.1", "-vf",
      "tinterlace=interleave_\(first),setfield=\(order)", "-c:v", "utvideo", path,
    ]
    try process.run()
    process.waitUntilExit()
    let memory = MemoryFile(Array(try Data(contentsOf: URL(filePath: path))), name: "a.mkv")
    try withExtendedLifetime(memory) {
      let track = try AVFormatDemuxer(source: memory.byteSource, settings: .init()).media.tracks[0]
      #expect(track.fieldOrder == (first == "top" ? .topFirst : .bottomFirst))
    }
  }

  @Test func `Matroska elements that libavformat does not read are named`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let chapters = """
      <?xml version="1.0"?><Chapters><EditionEntry><ChapterAtom><ChapterUID>1</ChapterUID>
      <ChapterTimeStart>00:00:00.0</ChapterTimeStart>
      <ChapterAtom><ChapterUID>2</ChapterUID><ChapterTimeStart>00:00:00.0</ChapterTimeStart>
      </ChapterAtom></ChapterAtom></EditionEntry>
      <EditionEntry><ChapterAtom><ChapterUID>3</ChapterUID>
      <ChapterTimeStart>00:00:00.0</ChapterTimeStart></ChapterAtom></EditionEntry></Chapters>
      """
    try Data(chapters.utf8).write(to: URL(filePath: folder + "/chapters.xml"))
    for arguments in [
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", folder + "/a.wav"],
      [
        "mkvmerge", "-q", "-o", folder + "/a.mkv", "--chapters", folder + "/chapters.xml",
        "--language", "0:de-CH", "--track-enabled-flag", "0:0", folder + "/a.wav",
      ],
    ] {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = arguments
      try process.run()
      process.waitUntilExit()
    }
    let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/a.mkv")))
    let memory = MemoryFile(bytes, name: "a.mkv")
    try withExtendedLifetime(memory) {
      let media = try AVFormatDemuxer(source: memory.byteSource, settings: .init()).media
      #expect(
        media.sideData.flatMap(\.unwrittenElements) == [
          "flag that disables Matroska track 1", "language de-CH of Matroska track 1",
          "chapters of further editions", "nested chapters",
        ])
    }
    for count in stride(from: 0, to: min(bytes.count, 4000), by: 7) {
      let part = MemoryFile(Array(bytes.prefix(count)), name: "a.mkv")
      withExtendedLifetime(part) { _ = MatroskaGaps(part.byteSource).names }
    }
  }

  @Test(arguments: ["text/plain", "application/x-foo", "application/x-truetype-font"])
  func `an attached file of any type is a file`(mediaType: String) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID()).mkv").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", "-attach", #filePath,
      "-metadata:s:t", "mimetype=\(mediaType)", path,
    ]
    try process.run()
    process.waitUntilExit()
    let memory = MemoryFile(Array(try Data(contentsOf: URL(filePath: path))), name: "a.mkv")
    try withExtendedLifetime(memory) {
      let tracks = try AVFormatDemuxer(source: memory.byteSource, settings: .init()).media.tracks
      #expect(tracks[1].kind == .attachment)
      #expect(tracks[1].codec == (mediaType.hasSuffix("font") ? "ttf" : "bin_data"))
    }
  }

  @Test(
    arguments: [
      [0, 0, 0, 0], [0x10000, 0x10000, 0x10000, 0x10000], [0x10000, 0, 0x20000, 0],
      [0, 0x10000, 0, 0],
    ] as [[Int32]])
  func `a singular display matrix is the identity`(values: [Int32]) {
    let numbers: [Int32] = [values[0], values[1], 0, values[2], values[3], 0, 0, 0, 0x4000_0000]
    let matrix = numbers.withUnsafeBytes { bytes in
      bytes.baseAddress.map { DisplayMatrix(ffmpeg: $0) }
    }
    #expect(matrix == .identity)
  }

  @Test func `a rotation is not the identity`() {
    let numbers: [Int32] = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x4000_0000]
    let matrix = numbers.withUnsafeBytes { bytes in
      bytes.baseAddress.map { DisplayMatrix(ffmpeg: $0) }
    }
    #expect(matrix?.b == 0x10000 && matrix?.c == -0x10000)
  }
}
