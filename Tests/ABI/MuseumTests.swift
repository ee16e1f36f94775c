import Foundation
import RespoolMedia
import RespoolVerifier
import TestFixtures
import Testing

@testable import RespoolHost

/// Plugins built from the headers of each released minor version of the ABI, in today's host.
@Suite struct Museum {
  static let minors = Array(0...ABIVersion.host.minor)
  /// Versions that have filters.
  static let filtering: [UInt32] = minors.filter { $0 >= 5 }

  let fixtures: PluginWorkshop

  init() throws { fixtures = try PluginWorkshop() }

  /// Builds `museum.c` from the headers of a minor version, and returns a registry with this plugin.
  private func museum(_ minor: UInt32, defining macros: [String] = []) throws -> PluginRegistry {
    try fixtures.build(
      "../ABI/museum.c", defining: macros, headers: Self.headers(minor), as: "museum.so")
    return fixtures.registry()
  }

  private static func headers(_ minor: UInt32) -> String {
    minor < ABIVersion.host.minor
      ? PluginWorkshop.package.appending(path: "Tests/ABI/1.\(minor)").path : PluginWorkshop.headers
  }

  private func source() throws -> FileSource {
    try fixtures.write("MUSEUM and twelve bytes", as: "file.museum")
    return try FileSource(path: fixtures.path("file.museum"))
  }

  @Test(arguments: minors)
  func `a plugin of each version loads, and its version is known`(minor: UInt32) throws {
    let record = try #require(try museum(minor).plugins.first)
    #expect(record.reason == nil)
    #expect(record.abi == ABIVersion(major: 1, minor: minor))
    #expect(record.factories.flatMap(\.options).map(\.name) == ["level", "note"])
  }

  @Test(arguments: minors)
  func `all that a demuxer of each version states arrives`(minor: UInt32) throws {
    let media = try museum(minor).openDemuxer(try source()).media
    let track = try #require(media.tracks.first)
    #expect(media.warning == "a warning")
    #expect(
      media.metadata == [MetadataEntry("title", "a title"), MetadataEntry("artist", "an artist")])
    #expect(media.chapters.map(\.title) == ["one", "two"])
    #expect(media.chapters.map(\.language) == ["eng", nil])
    #expect(track.metadata == [MetadataEntry("comment", "of a track")])
    #expect(track.edits.map(\.mediaStart) == [nil, 5])
    #expect(track.edits.map(\.duration) == [10, 20])
    #expect(media.nativeTags.map(\.value) == (minor >= 1 ? ["a title", "a value"] : []))
    #expect(media.nativeTags.map(\.language) == (minor >= 1 ? [nil, "deu"] : []))
    #expect(media.references.map(\.trackID) == (minor >= 1 ? [7, 8] : []))
    #expect(media.preferredRate == (minor >= 1 ? 0.5 : nil))
    #expect(track.furtherSampleDescriptions.map(\.codec) == (minor >= 1 ? ["pcm_s24le"] : []))
    #expect(track.preferredVolume == (minor >= 1 ? 0.5 : nil))
    let record = SideData(FourCC(rawValue: 0x636C_6C69), [1, 2, 3, 4])
    #expect(media.sideData == (minor >= 2 ? [record] : []))
    #expect(track.sideData == (minor >= 2 ? [record] : []))
  }

  @Test(arguments: minors)
  func `packets of a demuxer of each version arrive`(minor: UInt32) throws {
    let demuxer = try museum(minor).openDemuxer(try source())
    var packets: [Packet] = []
    while let packet = try demuxer.read() { packets.append(packet) }
    #expect(packets.map(\.pts) == [0, 3])
    #expect(packets.map(\.sampleDescriptionIndex) == (minor >= 1 ? [0, 1] : [0, 0]))
    #expect(packets.map(\.records.count) == (minor >= 2 ? [1, 1] : [0, 0]))
  }

  @Test(arguments: minors)
  func `a muxer of each version gets all that it knows`(minor: UInt32) throws {
    #expect(try written(by: try museum(minor)) == Self.expectedText(minor))
  }

  @Test(arguments: filtering)
  func `frames and results of a filter of each version arrive`(minor: UInt32) throws {
    let registry = try museum(minor)
    let factory = try #require(registry.filter(named: "museum", of: .video))
    #expect(factory.description.pixelFormats == [.yuv420p, .gray])
    var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (16, 16, .yuv420p)
    track.frameRate = Rational(25, 1)
    let filter = try registry.openFilter(factory, FilterSettings(track: track))
    #expect(filter.track.timeBase == Rational(1, 50))
    #expect(filter.track.frameRate == Rational(50, 1))
    var times: [Int64?] = []
    for number in 0..<3 {
      let frame = Frame(pixelFormat: .yuv420p, width: 16, height: 16, pts: Int64(number))
      try filter.filter(frame) { times.append($0.pts) }
    }
    try filter.filter(nil) { times.append($0.pts) }
    #expect(times == [0, 1, 2, 3, 4, 5])
    #expect(
      filter.results == [
        FilterResult("frames", "6", unit: "frames"), FilterResult("verdict", "good"),
      ])
  }

  @Test(arguments: [
    ("NO_SEND", "the function send of the filter museum is NULL"),
    ("MEDIA=3", "the media of the filter museum are neither video nor audio"),
  ])
  func `rejects a filter that lacks what the host needs`(macro: String, words: String) throws {
    let record = try #require(
      museum(ABIVersion.host.minor, defining: [macro]).plugins.first)
    #expect(record.status == .failed)
    #expect(record.reason?.contains(words) == true, "\(record.reason ?? "")")
  }

  @Test func `a filter that does not describe its frames is named`() throws {
    let registry = try museum(ABIVersion.host.minor, defining: ["NO_SIZE"])
    var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (16, 16, .yuv420p)
    let error = #expect(throws: MediaError.self) {
      _ = try registry.openFilter(
        try #require(registry.filter(named: "museum", of: .video)), FilterSettings(track: track))
    }
    #expect(error?.code == .pluginFailure)
    #expect(error?.message.contains("0x16 pixels") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: minors)
  func `a C plugin of each version passes verification`(minor: UInt32) throws {
    let path = try fixtures.build("toy.c", headers: Self.headers(minor), as: "toy.so")
    let results = PluginVerifier().verify(pluginAt: path)
    #expect(results.filter(\.failed).map(\.name) == [])
    #expect(results.count > 20)
  }

  /// `1.3/swift.so.xz` is the template of `plugins new`, built with the SDK of 1.3 and stripped.
  @Test func `a Swift plugin that was built with an earlier SDK works`() throws {
    let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    let maps = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
    let runtime = try #require(
      maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        .first { $0.hasSuffix("/libswiftCore.so") })
    let folder = (String(runtime) as NSString).deletingLastPathComponent
    let path = fixtures.path("librespool-Swift.so")
    let stored = PluginWorkshop.package.appending(path: "Tests/ABI/1.3/swift.so.xz").path
    try PluginWorkshop.run(
      "sh",
      [
        "-c", "xz -dc \"$1\" > \"$2\" && patchelf --set-rpath \"$3\" \"$2\"", "sh", stored, path,
        folder,
      ])
    let results = PluginVerifier().verify(pluginAt: path)
    #expect(results.filter(\.failed).map(\.name) == [])
    let registry = fixtures.registry()
    let record = try #require(registry.plugins.first)
    #expect(record.abi == ABIVersion(major: 1, minor: 3))

    var track = TrackDescription(kind: .audio, codec: "reverse", timeBase: Rational(1, 8000))
    (track.sampleRate, track.channelLayout) = (8000, .mono)
    let factory = try #require(record.factories.firstIndex { $0.kind == .decoder })
    let decoder = try DecoderInstance(
      PluginFactory(plugin: record, description: record.factories[factory], index: 0),
      DecoderSettings(track: track), reason: "test")
    let bytes = MediaBuffer([1, 2, 254])
    #expect(try decoder.send(Packet(track: 0, pts: 0, dts: 0, payload: .bytes(bytes))) == .accepted)
    guard case .value(let frame) = try decoder.receive() else {
      Issue.record("a frame was expected")
      return
    }
    #expect((0..<3).map { frame.buffer.bytes[$0] } == [254, 253, 1])
  }

  // MARK: Plugins of later versions

  @Test(
    arguments: [
      (.max, 0), (9, 0), (9, ABIVersion.host.minor + 1), (9, 9), (.max, .max),
    ] as [(UInt32, UInt32)])
  func `rejects a plugin that needs a later host, with both versions`(
    minor: UInt32, least: UInt32
  ) throws {
    let registry = try museum(
      ABIVersion.host.minor, defining: ["MINOR=\(minor)u", "LEAST=\(least)u"])
    let record = try #require(registry.plugins.first)
    #expect(record.status == .failed)
    #expect(record.reason?.contains("version 1.\(minor)") == true, "\(record.reason ?? "")")
    #expect(record.reason?.contains("this one has version \(ABIVersion.host)") == true)
    #expect(record.advice?.contains("install a later version of Respool") == true)
  }

  @Test func `a later plugin with longer structs is served if it states that it can be`() throws {
    let registry = try museum(
      ABIVersion.host.minor, defining: ["RSP_TEST_GROWTH", "MINOR=9u", "LEAST=4u"])
    let record = try #require(registry.plugins.first)
    #expect(record.status == .ok)
    #expect(record.abi == ABIVersion(major: 1, minor: 9))
    let demuxer = try registry.openDemuxer(try source())
    #expect(demuxer.media.chapters.map(\.title) == ["one", "two"])
    #expect(demuxer.media.nativeTags.map(\.value) == ["a title", "a value"])
    #expect(demuxer.media.tracks.first?.edits.map(\.duration) == [10, 20])
    #expect(try demuxer.read()?.pts == 0)
    #expect(try written(by: registry) == Self.expectedText(ABIVersion.host.minor))
  }

  @Test(arguments: ["ASSIGNS_WHOLE_STRUCT", "CLEARS_WHOLE_ERROR"])
  func `a plugin that writes beyond a lent struct is found and named`(fault: String) throws {
    let registry = try museum(
      ABIVersion.host.minor, defining: ["RSP_TEST_GROWTH", "MINOR=9u", "LEAST=4u", fault])
    let demuxer = try registry.openDemuxer(try source())
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.code == .pluginFailure)
    let name = fault == "ASSIGNS_WHOLE_STRUCT" ? "rsp_packet" : "rsp_error"
    #expect(error?.message.contains("\(name).struct_size") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("museum of the plugin museum") == true)
    #expect(error?.message.contains("version 1.9") == true)
  }

  // MARK: Text of the muxer

  private func written(by registry: PluginRegistry) throws -> [String] {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: Rational(1, 8000))
    track.id = 3
    track.metadata = [MetadataEntry("comment", "of a track"), MetadataEntry("title", "its title")]
    track.edits = [
      .init(presentationStart: 0, duration: 10, mediaStart: nil, rate: 1),
      .init(presentationStart: 10, duration: 20, mediaStart: 5, rate: 1),
    ]
    track.sideData = [SideData(FourCC(rawValue: 0x636C_6C69), [1, 2, 3, 4])]
    var media = MediaDescription(format: "museum", tracks: [track])
    media.metadata = [MetadataEntry("title", "a title"), MetadataEntry("artist", "an artist")]
    media.chapters = [
      .init(id: 1, start: 0, end: 1, title: "one", language: "eng"),
      .init(id: 2, start: 1, end: 2, title: "two", language: nil),
    ]
    media.nativeTags = [
      NativeTag(keySpace: "itsk", key: "name", name: "title", value: "a title"),
      NativeTag(
        keySpace: "mdta", key: "key", name: "", value: "a value", language: "deu", track: 0),
    ]
    media.references = [
      TrackReference(track: 0, type: FourCC(rawValue: 0x6368_6170), trackID: 7),
      TrackReference(track: 0, type: FourCC(rawValue: 0x6364_7363), trackID: 8),
    ]
    let path = fixtures.path("out.museum")
    let sink = try FileSink(path: path)
    let muxer = try registry.openMuxer(
      try #require(registry.muxer(named: "museum")), media: media, sink: sink,
      settings: MuxerSettings(options: [PluginOption("level", "3"), PluginOption("note", "text")]))
    var packet = Packet(track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer(count: 2)))
    packet.duration = 3
    try muxer.write(packet)
    try muxer.finish(media)
    try sink.finish()
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private static func expectedText(_ minor: UInt32) -> [String] {
    var lines = [
      "option level 3", "option note text", "text title a title", "text artist an artist",
      "chapter 0 1 one eng", "chapter 1 2 two -",
    ]
    if minor >= 1 {
      lines += [
        "tag -1 itsk name a title -", "tag 0 mdta key a value deu", "reference 0 70616863 7",
        "reference 0 63736463 8",
      ]
    }
    lines += [
      "track 3 pcm_s16le 1/8000", "track text comment of a track", "track text title its title",
      "edit 0 10 \(Int64.min) 1", "edit 10 20 5 1",
    ]
    if minor >= 2 { lines.append("track data 696c6c63 4") }
    return lines + ["packet 0 0 3", "end 1"]
  }
}
