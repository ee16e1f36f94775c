import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolVerifier

/// A plugin in a separate folder, as `respool plugins new` creates it.
@Suite struct OutOfTreePlugin {
  private let fixtures: PluginWorkshop

  init() throws { fixtures = try PluginWorkshop() }

  /// Creates and builds the plugin `class`, whose name is a keyword, and returns a registry that finds it.
  private func registry(isC: Bool) throws -> PluginRegistry {
    let command = (Installation.folder ?? "") + "/respool"
    try PluginWorkshop.run(
      command,
      [
        "plugins", "new", "class", "--sdk", PluginWorkshop.package.path, "--into",
        fixtures.path(""),
      ]
        + (isC ? ["--c"] : []))
    let folder = fixtures.path("class")
    if isC {
      try PluginWorkshop.run("make", ["-C", folder])
      return fixtures.registry(["class"])
    }
    try PluginWorkshop.run("swift", ["build", "-j", "2", "--package-path", folder])
    return fixtures.registry(["class/.build/debug"])
  }

  private var track: TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "class", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .stereo
    return track
  }

  private func packet(_ bytes: [UInt8], at time: Int64 = 0) -> Packet {
    Packet(track: 0, pts: time, dts: time, payload: .bytes(MediaBuffer(bytes)))
  }

  @Test(arguments: [false, true])
  func `a plugin out of the tree is made, built against the SDK, listed, verified, and decodes`(
    isC: Bool
  ) throws {
    let registry = try registry(isC: isC)
    let record = try #require(registry.plugins.first)
    #expect(record.status == .ok, "\(record.reason ?? "")")
    #expect(record.name == "class")
    #expect(PluginVerifier().verify(pluginAt: record.path).filter { !$0.passed } == [])

    let decoder = try registry.openDecoder(track, threads: 1)
    guard case .needsInput = try decoder.receive() else {
      Issue.record("something came out of nothing")
      return
    }
    #expect(try decoder.send(packet([0, 255, 1, 254], at: 7)) == .accepted)
    #expect(try decoder.send(packet([1, 2])) == .full)
    guard case .value(let frame) = try decoder.receive() else {
      Issue.record("a frame was expected")
      return
    }
    #expect(frame.pts == 7)
    #expect(frame.sampleCount == 2)
    #expect(frame.sampleFormat == .u8)
    #expect(frame.channelLayout == .stereo)
    #expect(
      Array(UnsafeRawBufferPointer(start: frame.planes[0].base, count: 4)) == [255, 0, 254, 1])

    let error = #expect(throws: MediaError.self) { try decoder.send(packet([1, 2, 3])) }
    #expect(error?.code == .malformed)
    #expect(try decoder.send(nil) == .accepted)
    guard case .end = try decoder.receive() else {
      Issue.record("not drained")
      return
    }
    decoder.flush()
    #expect(try decoder.send(packet([1, 2])) == .accepted)

    var wide = track
    wide.channelLayout = .standard(65)
    let refusal = #expect(throws: MediaError.self) { try registry.openDecoder(wide, threads: 1) }
    #expect(refusal?.code == .unsupported)
    var other = track
    other.codec = "opus"
    #expect(throws: MediaError.self) { try registry.openDecoder(other, threads: 1) }
  }
}
