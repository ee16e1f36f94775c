import Foundation
import Testing

/// Files of MP3 from sources that other programs have made, compared with what ffmpeg decodes.
@Suite struct MP3FileTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  /// Returns the bytes of the audio samples, of 16 bits, that ffmpeg decodes.
  private func decoded(_ name: String) throws -> Data {
    try ffmpeg(["-i", folder(name), "-map", "0:a:0", "-f", "s16le", folder("pcm")])
    return try Data(contentsOf: URL(fileURLWithPath: folder("pcm")))
  }

  private func convert(_ source: String, _ output: String, _ preset: String = "mp3-v2") throws {
    let result = try Respool.run(
      "convert", folder(source), folder(output), "--preset", preset)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `the info frame that mkvmerge keeps as audio becomes silence`() throws {
    // LAME writes the flag of an original into its frames, and not into the info frame.
    try ffmpeg([
      "-f", "lavfi", "-i", "sine=440:d=1:r=16000", "-c:a", "libmp3lame", "-b:a", "24k",
      folder("a.mp3"),
    ])
    try Tool.run("mkvmerge", ["-q", "-o", folder("a.mkv"), folder("a.mp3")])
    let expected = try decoded("a.mkv")
    try convert("a.mkv", "b.mp3")
    #expect(try decoded("b.mp3") == expected)
  }

  @Test func `MPEG audio of layer II in MP4 is found by its frames`() throws {
    try ffmpeg([
      "-i", Respool.media + "/speech.wav", "-c:a", "mp2", "-ar", "44100", folder("a.mp4"),
    ])
    let inspected = try Respool.run("inspect", folder("a.mp4")).output
    #expect(inspected.contains("audio 1: mp2, 44100 Hz"), "\(inspected)")
    try convert("a.mp4", "b.mp3")
    #expect(try decoded("b.mp3").count == decoded("a.mp4").count)
  }

  @Test(arguments: ["remux-mkv", "mp3-v2"])
  func `the packets of AVI follow each other where its header states a wrong rate`(
    preset: String
  ) throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "libmp3lame", "-ac", "2", folder("right.avi"),
    ])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("right.avi"))))
    let header = try #require(
      Data(bytes).range(of: Data("strh".utf8)).map { $0.upperBound + 4 })
    #expect(Array(bytes[header..<header + 4]) == Array("auds".utf8))
    // dwScale and dwRate of a header that counts 3828 units a second, of one byte each, as Android's test file has.
    func put(_ value: UInt32, at offset: Int) {
      for index in 0..<4 { bytes[header + offset + index] = UInt8(value >> (8 * index) & 0xFF) }
    }
    put(32, at: 20)
    put(122_500, at: 24)
    put(1, at: 44)
    try Data(bytes).write(to: URL(fileURLWithPath: folder("a.avi")))
    let output = preset == "remux-mkv" ? "b.mkv" : "b.mp3"
    try convert("a.avi", output, preset)
    let expected = try decoded("right.avi").count
    #expect(try abs(decoded(output).count - expected) <= 2 * 4 * 1152)
    let probed = try Running(
      ["/usr/bin/ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0"]
        + [folder(output)], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait().output
    let seconds = try #require(Double(probed.trimmingCharacters(in: .newlines)))
    #expect(abs(seconds - 2) < 0.1, "\(seconds)")
  }

  @Test func `a few audio samples make a file that players open`() throws {
    try ffmpeg(["-f", "lavfi", "-i", "sine=440:d=0.00025:r=48000", folder("a.wav")])
    #expect(try decoded("a.wav").count == 24)
    try convert("a.wav", "b.mp3")
    #expect(try decoded("b.mp3").count == 24)
  }
}
