import Foundation
import Glibc
import Testing

@Suite struct WaveformTests {
  private let folder = TemporaryFolder()

  @Test func `every format follows from the extension`() throws {
    let starts: [(String, [UInt8])] = [
      ("a.png", [0x89, 0x50, 0x4E, 0x47]), ("a.SVG", Array("<svg".utf8)),
      ("a.json", Array("{\"ve".utf8)), ("a.dat", [1, 0, 0, 0]),
    ]
    for (name, start) in starts {
      let result = try Respool.run(
        "waveform", Respool.media + "/speech.wav", "-o", folder(name))
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output == "" && result.errors == "")
      let bytes = try #require(FileManager.default.contents(atPath: folder(name)))
      #expect(Array(bytes.prefix(4)) == start)
    }
    #expect(folder.contents == ["a.SVG", "a.dat", "a.json", "a.png"])
  }

  @Test func `options are applied to the data`() throws {
    let result = try Respool.run(
      "waveform", Respool.media + "/tones-5.1.wav", "-o", "-", "--format", "json", "--bins", "10",
      "--from", "0:00.1", "--to", "0.15", "--split-channels", "--bits", "16")
    #expect(result.status == 0, "\(result.errors)")
    let object = try result.object()
    #expect(object["length"] as? Int == 10)
    #expect(object["channels"] as? Int == 6)
    #expect(object["bits"] as? Int == 16)
    #expect(object["samples"] as? Int == 2400)
    #expect(object["samples_per_pixel"] as? Int == 240)
    #expect((object["data"] as? [Int])?.count == 120)
  }

  @Test func `data has bins of whole samples, and drawings as many as requested`() throws {
    // The clip has 55,125 audio samples.
    let speech = Respool.media + "/speech.wav"
    let data = try Respool.run("waveform", speech, "-o", "-", "--format", "json", "--bins", "1000")
      .object()
    #expect(data["samples_per_pixel"] as? Int == 56)
    #expect(data["length"] as? Int == 985)
    let drawing = try Respool.run(
      "waveform", speech, "-o", "-", "--format", "svg", "--bins", "1000")
    #expect(drawing.output.contains("width=\"1000\""))
  }

  @Test func `a start after the end is rejected`() throws {
    for format in ["json", "png"] {
      let result = try Respool.run(
        "waveform", Respool.media + "/speech.wav", "-o", folder("a." + format), "--from", "5")
      #expect(result.status == 2)
      #expect(result.errors.contains("there is no audio from 5.0 s on; the audio ends at 2.5 s"))
    }
    #expect(folder.contents.isEmpty)
  }

  @Test(arguments: [
    (".5", 44100), ("0.4999999999999999", 44100), ("0:00.50000000000000000000000000001", 44100),
    ("1.9999999999", 11025), ("00.1234567891", 52403),
  ])
  func `times have any number of decimals`(_ time: String, samples: Int) throws {
    let result = try Respool.run(
      "waveform", Respool.media + "/speech.wav", "-o", "-", "--format", "json", "--from", time)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try result.object()["samples"] as? Int == samples)
  }

  @Test(arguments: [".", "", ":.5", "1::5", "1.2.3", "1.5s", "0.1234567891x", "-1", "1e3"])
  func `an invalid time is rejected`(_ time: String) throws {
    let result = try Respool.run(
      "waveform", Respool.media + "/speech.wav", "-o", folder("a.json"), "--from=\(time)")
    #expect(result.status == 2)
    #expect(result.errors.contains("--from"), "\(result.errors)")
  }

  @Test func `drawings have the requested size and colors`() throws {
    let speech = Respool.media + "/speech.wav"
    let wide = try Respool.run("waveform", speech, "-o", "-", "--format", "svg")
    #expect(wide.output.contains("width=\"1800\" height=\"280\""))
    let plain = try Respool.run(
      "waveform", speech, "-o", "-", "--format", "svg", "--size", "300x50", "--color", "#102030",
      "--background", "transparent", "--amplitude-scale", "auto")
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(plain.output.contains("width=\"300\" height=\"50\""))
    #expect(plain.output.contains("#102030") && !plain.output.contains("<rect"))
    let zoomed = try Respool.run(
      "waveform", speech, "-o", "-", "--format", "svg", "--zoom", "1000")
    // The clip has 2.5 seconds at 22,050 Hz.
    #expect(zoomed.output.contains("width=\"56\""))
  }

  @Test func `wrong usage ends with status 2`() throws {
    let speech = Respool.media + "/speech.wav"
    for (arguments, word) in [
      (["-o", "a"], "--format"), (["-o", "-"], "--format"),
      (["-o", "a.png", "--bins", "0"], "bins"),
      (["-o", "a.png", "--bins", "5", "--zoom", "5"], "--zoom"),
      (["-o", "a.png", "--from", "2", "--to", "1"], "--from"),
      (["-o", "a.png", "--from", "1:2:3:4"], "--from"),
      (["-o", "a.png", "--size", "0x9"], "--size"),
      (["-o", "a.png", "--color", "blau"], "--color"), (["-o", "a.png", "--bits", "9"], "--bits"),
      (["-o", "a.png", "--amplitude-scale", "-1"], "amplitude"),
      (["-o", "a.png", "--zoom", "1"], "--size"),
    ] {
      let result = try Respool.start(["waveform", speech] + arguments, folder: folder.path).wait()
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.contains(word), "\(arguments): \(result.errors)")
      #expect(folder.contents.isEmpty)
    }
  }

  @Test func `an existing output is kept and files without audio are named`() throws {
    try folder.add("notes.txt", as: "a.png")
    let speech = Respool.media + "/speech.wav"
    let refused = try Respool.run("waveform", speech, "-o", folder("a.png"))
    #expect(refused.status == 2)
    #expect(refused.errors.contains("--replace"))
    let replaced = try Respool.run("waveform", speech, "-o", folder("a.png"), "--replace")
    #expect(replaced.status == 0, "\(replaced.errors)")
    let mute = try Respool.run("waveform", Respool.media + "/deep.mkv", "-o", folder("b.png"))
    #expect(mute.status == 1)
    #expect(mute.errors.contains("deep.mkv") && mute.errors.contains("no audio"))
    #expect(folder.contents == ["a.png"])
  }
}
