import CRespool
import PluginHost
import RespoolMedia
import Testing

@Suite struct TemplateTests {
  private func track(_ channels: Int = 2) -> TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "reverse", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .standard(channels)
    return track
  }

  private func packet(_ bytes: [UInt8], at pts: Int64 = 0) -> Packet {
    Packet(track: 0, pts: pts, dts: pts, payload: .bytes(MediaBuffer(bytes)))
  }

  @Test func exportsTheConstantThatTheABIAsksFor() throws {
    let plugin = try LoadedPlugin("Template")
    #expect(plugin.entry.struct_size == structSize(rsp_plugin.self))
    #expect(plugin.entry.abi_major == RSP_ABI_MAJOR)
    #expect(plugin.info.struct_size == structSize(rsp_plugin_info.self))
    #expect(String(cString: plugin.info.name) == "Template")
    let decoder = try #require(plugin.descriptions.first)
    #expect(plugin.descriptions.count == 1)
    #expect(decoder.kind == .decoder)
    #expect(decoder.codecs == ["reverse"])
    #expect(decoder.name == "reverse")
  }

  @Test func describesItselfOnce() throws {
    let plugin = try LoadedPlugin("Template")
    let again = try LoadedPlugin("Template")
    #expect(plugin.info.factories == again.info.factories)
  }

  @Test func refusesAHostOfAnotherMajor() throws {
    let plugin = try LoadedPlugin("Template")
    #expect(plugin.entry.describe(TestHost(major: UInt32(RSP_ABI_MAJOR) + 1).pointer) == nil)
  }

  @Test func decodesAndDrains() throws {
    let decoder = try OpenDecoder(try LoadedPlugin("Template"), "reverse", track())
    guard case .needsInput = try decoder.receive() else {
      Issue.record("something came out of nothing")
      return
    }
    #expect(try decoder.send(packet([0, 255, 1, 254], at: 7)) == .accepted)
    #expect(try decoder.send(packet([1, 2])) == .full)
    guard case .value(let frame) = try decoder.receive() else {
      Issue.record("no frame")
      return
    }
    #expect(frame.pts == 7)
    #expect(frame.sampleCount == 2)
    #expect(frame.sampleFormat == .u8)
    #expect(frame.channelLayout == .stereo)
    let bytes = UnsafeRawBufferPointer(start: frame.planes[0].base, count: 4)
    #expect(Array(bytes) == [255, 0, 254, 1])
    #expect(try decoder.send(nil) == .accepted)
    guard case .end = try decoder.receive() else {
      Issue.record("not drained")
      return
    }
    decoder.flush()
    guard case .needsInput = try decoder.receive() else {
      Issue.record("not usable after flush")
      return
    }
  }

  @Test func goesOnAfterAnError() throws {
    let decoder = try OpenDecoder(try LoadedPlugin("Template"), "reverse", track())
    let error = #expect(throws: MediaError.self) { try decoder.send(packet([1, 2, 3])) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("3 bytes") == true)
    #expect(try decoder.send(packet([1, 2])) == .accepted)
  }

  @Test func anErrorOfOpenTellsItsReason() throws {
    let plugin = try LoadedPlugin("Template")
    let error = #expect(throws: MediaError.self) {
      _ = try OpenDecoder(plugin, "reverse", track(65))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("65 channels") == true)
  }

  @Test func supportsOnlyItsCodec() throws {
    let plugin = try LoadedPlugin("Template")
    let factory = try plugin.factory(.decoder, "reverse", as: rsp_decoder_factory.self)
    let supports = try #require(factory.pointee.supports)
    let head = try #require(plugin.factories.first)
    let arena = CArena()
    var other = track()
    other.codec = "opus"
    #expect(supports(head, arena.box(track().cValue(in: arena))) == 1)
    #expect(supports(head, arena.box(other.cValue(in: arena))) == 0)
  }
}
