import Foundation
import RespoolMedia
import RespoolVerifier
import Testing

@testable import Respool

/// A Swift plugin in a package of its own, as its author would keep it.
@Suite struct OutOfTreePlugin {
  @Test func `is built against the SDK, loaded, verified and decodes`() throws {
    let fixtures = try PluginWorkshop()
    let package = fixtures.path("Shout")
    try FileManager.default.copyItem(
      atPath: PluginWorkshop.sources.appending(path: "OutOfTree").path, toPath: package)
    try PluginWorkshop.run(
      "swift", ["build", "-j", "2", "--package-path", package],
      environment: ["RESPOOL_SDK": PluginWorkshop.package.path])
    let registry = fixtures.registry(["Shout/.build/debug"])
    let record = try #require(registry.plugins.first)
    #expect(record.status == .ok, "\(record.reason ?? "")")
    #expect(record.name == "Shout")

    let failures = PluginVerifier().verify(pluginAt: record.path).filter { !$0.passed }
    #expect(failures == [])

    var track = TrackDescription(kind: .audio, codec: "shout", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .mono
    let decoder = try registry.openDecoder(track, threads: 1)
    let packet = Packet(
      track: 0, pts: 5, dts: 5, payload: .bytes(MediaBuffer([0, 1, 127, 128])))
    guard case .accepted = try decoder.send(packet), case .value(let frame) = try decoder.receive()
    else { Issue.record("a frame was expected"); return }
    #expect(frame.pts == 5)
    let samples = frame.planes[0].base.assumingMemoryBound(to: Int16.self)
    #expect((0..<4).map { samples[$0] } == [0, 256, 32512, -32768])
  }
}
