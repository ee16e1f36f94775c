import Foundation
import Testing

/// Outputs in which bytes of the media, or what is stated about a track, differ from what was written.
@Suite struct SpoiledMediaTests {
  private let folder = TemporaryFolder()
  private let library: CPlugin

  init() throws { library = try CPlugin("spoil_output.c") }

  /// Makes a film with pixels of 4:3, two audio tracks, of which the second is the default, and subtitles.
  private func film(audio codec: String = "aac") throws -> String {
    let text = folder("text.srt")
    try "1\n00:00:01,000 --> 00:00:02,000\nHello there\n".write(
      toFile: text, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    let film = folder("in/film.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=4,setsar=4/3",
        "-f", "lavfi", "-i", "sine=duration=4", "-f", "lavfi", "-i", "anoisesrc=d=4:r=44100",
        "-i", text, "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264",
        "-preset", "ultrafast", "-g", "20", "-c:a", codec, "-c:s", "srt",
        "-disposition:a:0", "0", "-disposition:a:1", "default", film,
      ])
    return film
  }

  /// Replaces the film by its copy; `spoiled` takes the place of the copy's bytes before they are checked.
  ///
  /// Returns whether the film is still there.
  private func keepsOriginal(_ film: String, _ preset: String, spoiled: Data) throws -> Bool {
    let original = try Data(contentsOf: URL(fileURLWithPath: film))
    try spoiled.write(to: URL(fileURLWithPath: folder("spoiled")))
    let result = try Respool.start(
      ["batch", folder("in"), "--replace", "--even-if-larger", "--preset", preset],
      environment: [
        "LD_PRELOAD=\(library.path)", "SPOIL_BY=\(folder("spoiled"))", "RESPOOL_SANDBOX=off",
      ]
    ).wait()
    let isKept = (try? Data(contentsOf: URL(fileURLWithPath: film))) == original
    #expect(result.status == (isKept ? 1 : 0), "\(result.output)\(result.errors)")
    // Nothing is remembered of it for the next change.
    try FileManager.default.removeItem(atPath: folder("in"))
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try original.write(to: URL(fileURLWithPath: film))
    return isKept
  }

  /// Copies the film to a file and returns its bytes.
  private func copy(_ film: String, _ name: String, _ preset: String) throws -> Data {
    let result = try Respool.run("convert", film, folder(name), "--preset", preset)
    try #require(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: URL(fileURLWithPath: folder(name)))
  }

  private func check(
    _ film: String, _ name: String, _ preset: String,
    _ changes: [String: (inout Data) throws -> Void]
  ) throws {
    let good = try copy(film, name, preset)
    #expect(try !keepsOriginal(film, preset, spoiled: good), "unchanged")
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
      var spoiled = good
      try change(&spoiled)
      try #require(spoiled != good, "\(name)")
      #expect(try keepsOriginal(film, preset, spoiled: spoiled), "\(name)")
    }
  }

  @Test func `an original stays if the copy in MP4 has other media`() throws {
    try check(
      film(), "film.mp4", "remux-mp4",
      [
        "a bit of the media": { $0[try $0.place(of: "mdat") + 20_001] ^= 8 },
        "subtitle": { $0[try $0.place(of: "Hello there") + 1] = UInt8(ascii: "a") },
        "configuration record": { $0[try $0.place(of: "avcC") + 16] ^= 1 },
        "pixels": { $0[try $0.place(of: "pasp") + 7] += 3 },
        "default track": { file in
          // Flags of the track headers: enabled, or not (ISO/IEC 14496-12 8.3.2).
          for place in file.places(of: "tkhd") { file[place + 7] ^= 1 }
        },
      ])
  }

  @Test func `an original stays if the copy in Matroska has other media`() throws {
    // Readers take the properties of AAC from its configuration, those of PCM from the track.
    try check(
      film(audio: "pcm_s16le"), "film2.mkv", "remux-mkv",
      [
        "a bit of the media": { $0[$0.count / 2] ^= 4 },
        "subtitle": { $0[try $0.place(of: "Hello there") + 1] = UInt8(ascii: "a") },
        "sampling rate": { $0[try $0.place(of: [0xB5, 0x88]) + 3] ^= 0x10 },
        "channels": { $0[try $0.place(of: [0x9F, 0x81]) + 2] += 1 },
        // The display width (RFC 9559 5.1.4.1.28.11), in a ratio.
        "pixels": { $0[try $0.place(of: [0x54, 0xB0, 0x81]) + 3] ^= 4 },
      ])
  }

  @Test func `an original stays if the copy has other NAL units, in another framing`() throws {
    let film = try film()
    let stream = folder("in/film.ts")
    try Tool.run(
      "ffmpeg", ["-v", "error", "-i", film, "-map", "0:v", "-map", "0:a", "-c", "copy", stream])
    try FileManager.default.removeItem(atPath: film)
    try check(
      stream, "film.mp4", "remux-mp4",
      ["a bit of a frame": { $0[try $0.place(of: "mdat") + 20_001] ^= 8 }])
    try check(
      stream, "film.mkv", "remux-mkv", ["a bit of a frame": { $0[$0.count / 2] ^= 8 }])
  }

  @Test func `an original stays if the copy in a transport stream has other NAL units`() throws {
    try check(
      film(), "film.ts", "remux-ts",
      [
        "a bit of a frame": { file in
          // A packet of video (ISO/IEC 13818-1 2.4.3.2), without a header of its own.
          let start = try file.place(of: [0, 0, 1, 0xE0]) / 188 * 188
          let place = try #require(
            stride(from: start + 20 * 188, to: file.count, by: 188).first {
              file[$0 + 1] == file[start + 1] & 0x1F && file[$0 + 2] == file[start + 2]
                && file[$0 + 3] & 0x30 == 0x10
            })
          file[place + 100] ^= 8
        }
      ])
  }

  @Test(arguments: ["pcm_s16le", "alac"])
  func `an original stays if the copy has silence in its middle`(codec: String) throws {
    try check(
      film(audio: codec), "film.mov", "remux-mov",
      [
        "silence": { file in
          let middle = try file.place(of: "mdat") + 100_000
          file.replaceSubrange(middle..<middle + 3000, with: Data(count: 3000))
        }
      ])
  }

  @Test func `an encoded file with another bit is not published`() throws {
    let film = try film()
    let good = try copy(film, "film.mp4", "h264-fast-480p")
    var spoiled = good
    spoiled[try spoiled.place(of: "mdat") + 20_001] ^= 8
    try spoiled.write(to: URL(fileURLWithPath: folder("spoiled")))
    let result = try Respool.start(
      ["convert", film, folder("bad.mp4"), "--preset", "h264-fast-480p"],
      environment: [
        "LD_PRELOAD=\(library.path)", "SPOIL_BY=\(folder("spoiled"))", "RESPOOL_SANDBOX=off",
      ]
    ).wait()
    #expect(result.status == 1)
    #expect(result.errors.contains("other bytes"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("bad.mp4")))
  }
}

extension Data {
  /// Returns the places of a text.
  fileprivate func places(of text: String) -> [Int] {
    var found: [Int] = []
    var from = startIndex
    while let next = range(of: Data(text.utf8), in: from..<endIndex) {
      found.append(next.lowerBound)
      from = next.upperBound
    }
    return found
  }

  fileprivate func place(of text: String) throws -> Int { try place(of: Array(text.utf8)) }

  /// Returns the first place of bytes.
  fileprivate func place(of bytes: [UInt8]) throws -> Int {
    try #require(range(of: Data(bytes))?.lowerBound, "\(bytes)")
  }
}
