import Foundation
import Glibc
import Testing

/// Files made from one that only its owner may read.
@Suite struct PrivateFileTests {
  private let folder = TemporaryFolder()

  private func permissions(_ name: String) throws -> mode_t {
    var status = stat()
    try #require(stat(folder(name), &status) == 0, "\(name)")
    return status.st_mode & 0o777
  }

  @Test func `what is made of a private file is private`() throws {
    for name in ["a.mp4", "b.mp4"] { try folder.add("pattern-h264.mp4", as: name) }
    try folder.add("speech.wav", as: "a.wav")
    for name in ["a.mp4", "a.wav"] { chmod(folder(name), 0o600) }
    let commands = [
      ["thumbnails", folder("a.mp4"), "-o", folder("sheet.png")],
      ["thumbnails", folder("a.mp4"), "-o", folder("still-%d.jpg"), "--count", "2"],
      ["waveform", folder("a.wav"), "-o", folder("wave.svg")],
      ["concat", folder("a.mp4"), folder("b.mp4"), folder("both.mp4")],
    ]
    for command in commands {
      let result = try Respool.start(command).wait()
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
    for name in ["sheet.png", "still-1.jpg", "still-2.jpg", "wave.svg", "both.mp4"] {
      #expect(try permissions(name) == 0o600, "\(name)")
    }
    chmod(folder("a.wav"), 0o644)
    let open = try Respool.run("waveform", folder("a.wav"), "-o", folder("open.svg"))
    #expect(open.status == 0)
    #expect(try permissions("open.svg") & 0o004 != 0)
  }
}
