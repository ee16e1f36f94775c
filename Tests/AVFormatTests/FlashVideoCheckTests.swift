import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Flash Video that is cut off.
@Suite struct FlashVideoCheckTests {
  @Test func `a file that ends within a tag is cut off wherever that is`() throws {
    let file: [UInt8] =
      Array("FLV".utf8) + [1, 1, 0, 0, 0, 9, 0, 0, 0, 0]
      + [18, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xAA] + [0, 0, 0, 12]
    for count in 13...file.count {
      let memory = MemoryFile(Array(file[..<count]), name: "a.flv")
      let problem = try withExtendedLifetime(memory) {
        var check = try FlashVideoCheck(memory.byteSource)
        return try check.problemAtEnd()
      }
      // The size after the last tag may be missing.
      let isWhole = [13, 25, 29].contains(count)
      #expect(problem == (isWhole ? nil : "the tag at offset 13 is cut off"), "\(count)")
    }
  }
}
