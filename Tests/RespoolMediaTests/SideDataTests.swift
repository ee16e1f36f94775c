import CRespool
import RespoolMedia
import Testing

@Suite struct SideDataTests {
  let light = SideData("clli", [3, 232, 1, 144])
  let unknown = SideData("abcd", [])

  @Test func `side data crosses the boundary with files and tracks`() {
    var track = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 90000))
    track.sideData = [light, unknown]
    var format = track
    format.sideData = [unknown]
    track.furtherSampleDescriptions = [format]
    var media = MediaDescription(format: "mp4", tracks: [track])
    media.sideData = [unknown, light]
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    #expect(MediaDescription(arena.box(media.cValue(in: arena))) == media)
  }

  @Test func `side data crosses the boundary with packets`() {
    var packet = Packet(
      track: 1, pts: 2, dts: 1, payload: .bytes(MediaBuffer([1, 2, 3])))
    packet.records = [light, unknown]
    packet.sideData = [9]
    let copy = packet.withLent { Packet(retaining: $0) }
    #expect(copy.records == packet.records)
    #expect(copy.sideData == [9])
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    #expect(Packet(adopting: packet.exported { arena }).records == packet.records)
  }

  @Test func `side data crosses the boundary with frames`() throws {
    var frame = try #require(Frame(pixelFormat: .yuv420p, width: 16, height: 16, pts: 4))
    frame.sideData = [light, unknown]
    let copy = try #require(frame.withLent { Frame(retaining: $0) })
    #expect(copy.sideData == frame.sideData)
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    #expect(Frame(adopting: frame.exported { arena })?.sideData == frame.sideData)
  }

  /// Fields missing from an older version of a plugin interface struct are neither read nor written.
  @Test func `side data is not looked for in structs of version 1`() throws {
    var packet = Packet(track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer([1])))
    packet.records = [light]
    let old = MemoryLayout<rsp_packet>.offset(of: \.records) ?? 0
    packet.withLent { lent in
      var value = lent.pointee
      value.struct_size = UInt32(old)
      #expect(withUnsafePointer(to: value) { Packet(retaining: $0) }.records.isEmpty)
    }

    var frame = try #require(Frame(pixelFormat: .yuv420p, width: 16, height: 16))
    frame.sideData = [light]
    let untouched = UnsafePointer<UnsafePointer<rsp_side_data>?>(bitPattern: 8)
    var target = rsp_frame()
    target.struct_size = UInt32(MemoryLayout<rsp_frame>.offset(of: \.side_data) ?? 0)
    target.side_data = untouched
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    frame.exported { arena }.fill(&target)
    #expect(target.width == 16)
    #expect(target.side_data == untouched)
    #expect(Frame(adopting: target) != nil)
  }

  @Test func `side data is found, replaced and removed by type`() {
    var list = [light, unknown, SideData("clli", [1])]
    #expect(list["clli"] == light.bytes)
    #expect(list["mdcv"] == nil)
    list.set("clli", [7])
    #expect(list == [SideData("clli", [7]), unknown])
    list.set("abcd", nil)
    list.set("mdcv", [1])
    #expect(list == [SideData("clli", [7]), SideData("mdcv", [1])])
  }
}
