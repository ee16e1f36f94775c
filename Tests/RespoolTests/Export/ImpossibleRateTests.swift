import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

@Suite struct ImpossibleRateTests {
  @Test func `an impossible sample rate is reported for its file`() throws {
    let scratch = try Scratch()
    var head = Array("RIFF".utf8) + [36 + 200, 0, 0, 0] + Array("WAVEfmt ".utf8)
    head += [16, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0xDC, 0x05, 0, 0, 0xB8, 0x0B, 2, 0, 16, 0]
    head += Array("data".utf8) + [200, 0, 0, 0] + [UInt8](repeating: 1, count: 200)
    let path = scratch.path("fast.wav")
    try Data(head).write(to: URL(filePath: path))
    do {
      try Pipeline.export(path, "opus-128k", to: scratch.path("out.opus"))
      Issue.record("it was converted")
    } catch let error as MediaError {
      #expect(error.code == .unsupported)
      #expect(error.message.contains("sample rate of 98304000 Hz"), "\(error.message)")
      #expect(!error.message.contains("plugin"))
    }
  }
}
