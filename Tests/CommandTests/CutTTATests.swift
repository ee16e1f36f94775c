import Foundation
import Testing

/// True Audio in Matroska, whose rounded length does not tell how long the last frame is.
@Suite struct CutTTATests {
  private let folder = TemporaryFolder()

  @Test(arguments: ["1", "2"], ["sine=440:r=44100:d=7.777", "anoisesrc=r=48000:d=2.2222"])
  func `the last frame of TTA is decoded`(channels: String, source: String) throws {
    func ffmpeg(_ arguments: [String]) throws {
      try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
    }
    try ffmpeg(["-f", "lavfi", "-i", source, "-ac", channels, "-c:a", "tta", folder("a.tta")])
    try ffmpeg(["-i", folder("a.tta"), "-c", "copy", folder("b.mka")])
    // The length of a part cannot be that of the whole.
    try ffmpeg(["-ss", "0.6", "-i", folder("b.mka"), "-c", "copy", folder("c.mka")])
    for name in ["b.mka", "c.mka"] {
      let check = try Respool.run("check", folder(name))
      #expect(check.status == 0, "\(check.output)\(check.errors)")
      let result = try Respool.run(
        "convert", folder(name), folder("\(name).wav"), "--preset", "wav", "--verify", "full")
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }
    func pcm(_ name: String) throws -> [UInt8] {
      try ffmpeg(["-i", folder(name), "-f", "s16le", folder("pcm")])
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("pcm"))))
    }
    let whole = try pcm("a.tta")
    #expect(try pcm("b.mka.wav") == whole)
    #expect(try whole.suffix(20000) == pcm("c.mka.wav").suffix(20000))
  }
}
