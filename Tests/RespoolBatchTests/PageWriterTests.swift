import Foundation
import Testing

@testable import RespoolBatch

@Suite struct PageWriterTests {
  @Test(arguments: [
    ("/a/b/c.mp4", "/a/b", "c.mp4"), ("/a/in/c d.mp4", "/a/out", "../in/c%20d.mp4"),
    ("/x/y.mp4", "/a/b/c", "../../../x/y.mp4"), ("/a/b:c", "/a", "b%3Ac"),
    ("/a/\u{E9}", "/", "a/%C3%A9"),
  ])
  func `addresses are relative and encoded`(path: String, folder: String, address: String) {
    #expect(PageWriter.address(of: path, from: folder) == address)
  }

  @Test func `text cannot become markup`() {
    #expect(PageWriter.escaped("<a href='x'>&\"") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;")
    #expect(PageWriter.escaped("a\u{202E}b\n") == "a[U+202E]b[U+000A]")
  }

  @Test func `bytes are text as Foundation has them`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
      #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    }
    for text in ["a", "====", "a===", "ab=c", "ab\u{E9}d", "ab d"] {
      #expect(Base64.bytes(text) == nil, "\(text)")
    }
  }

  @Test func `details are read as they were sent, and nothing else is taken`() {
    var details = FileDetails()
    details.settings = [.init(name: "a\tb", value: "c\n", reason: "\u{1F600}")]
    details.duration = 1.5
    details.before = .init(width: 640, height: 360, codec: "h264")
    details.pictureAfter = [0xFF, 0xD8, 1, 2]
    details.waveform = [0, 50, 100]
    var read = FileDetails()
    for line in details.lines { read.take(line.dropLast()) }
    #expect(read.lines == details.lines)
    for line in [
      "", "setting", "duration\tnan", "before\t-1\t2\tx", "pictureBefore\tQUJD",
      "waveform\t999\t-4",
      "nonsense\t1",
    ] {
      read.take(Array(line.utf8))
    }
    #expect(read.duration == 1.5 && read.before == nil && read.pictureBefore == nil)
    #expect(read.waveform == [100, 0])
  }
}
