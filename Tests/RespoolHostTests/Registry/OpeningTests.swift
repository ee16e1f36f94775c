import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct Opening {
  let fixtures: PluginWorkshop
  let registry: PluginRegistry

  init() throws {
    fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    registry = fixtures.registry()
  }

  /// Writes a toy file of `packets` packets with 100 stereo audio samples, using encoder and muxer.
  private func makeFile(_ name: String, packets: Int) throws -> String {
    let path = fixtures.path(name)
    let track = Self.track
    let encoder = try registry.openEncoder(
      try #require(registry.encoder(named: "toy_pcm")), EncoderSettings(track: track))
    let sink = try FileSink(path: path)
    let media = MediaDescription(format: "toy", tracks: [encoder.track])
    let muxer = try registry.openMuxer(
      try #require(registry.muxer(named: "toy")), media: media, sink: sink)
    #expect(muxer.timeBase(ofTrack: 0) == Rational(1, 8000))
    for number in 0..<packets {
      let frame = try #require(
        Frame(
          sampleFormat: .s16, channelLayout: .stereo, sampleRate: 8000, sampleCount: 100))
      for index in 0..<400 {
        frame.buffer.bytes[index] = UInt8(truncatingIfNeeded: index + number)
      }
      guard case .accepted = try encoder.send(frame),
        case .value(let packet) = try encoder.receive()
      else { throw MediaError(.internal, "a packet was expected") }
      try muxer.write(packet)
    }
    guard case .accepted = try encoder.send(nil), case .end = try encoder.receive() else {
      throw MediaError(.internal, "the end was expected")
    }
    try muxer.finish(media)
    try sink.finish()
    return path
  }

  @Test func `the error says that there are no plugins`() throws {
    let path = try makeFile("lonely.toy", packets: 1)
    let empty = PluginRegistry(
      searchPath: PluginSearchPath(folders: [.init(fixtures.path("nothing"))]))
    let error = #expect(throws: MediaError.self) {
      try empty.openDemuxer(try FileSource(path: path))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("there are no plugins that read files in") == true)
    #expect(error?.message.contains("RESPOOL_PLUGIN_PATH") == true)
  }

  private static var track: TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "toy_pcm", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .stereo
    track.sampleFormat = .s16
    return track
  }

  @Test func `frames pass through encoder, muxer, demuxer and decoder unchanged`() throws {
    let source = try FileSource(path: try makeFile("a.toy", packets: 5))
    let demuxer = try registry.openDemuxer(source)
    #expect(demuxer.media.tracks.map(\.codec) == ["toy_pcm"])
    #expect(demuxer.reason == "toy of the plugin toy is 100 % sure that it can read the file")
    let decoder = try registry.openDecoder(demuxer.media.tracks[0], threads: 1)
    var number = 0
    while let packet = try demuxer.read() {
      guard case .range = packet.payload else { Issue.record("a range was expected"); return }
      #expect(packet.pts == Int64(number * 100))
      guard case .accepted = try decoder.send(try source.bytes(of: packet)),
        case .value(let frame) = try decoder.receive()
      else { Issue.record("a frame was expected"); return }
      #expect(frame.sampleCount == 100)
      #expect(frame.channelLayout.channelCount == 2)
      let bytes = UnsafeRawBufferPointer(start: frame.planes[0].base, count: 400)
      #expect(bytes.elementsEqual((0..<400).map { UInt8(truncatingIfNeeded: $0 + number) }))
      number += 1
    }
    #expect(number == 5)
    #expect(try demuxer.read() == nil)
  }

  @Test func `ranges of the source are copied by the sink`() throws {
    let path = try makeFile("a.toy", packets: 3)
    let source = try FileSource(path: path)
    let demuxer = try registry.openDemuxer(source)
    let sink = try FileSink(path: fixtures.path("copy.toy"), source: source)
    let muxer = try registry.openMuxer(
      try #require(registry.muxer(named: "toy")), media: demuxer.media, sink: sink)
    while let packet = try demuxer.read() { try muxer.write(packet) }
    try muxer.finish(demuxer.media)
    try sink.finish()
    #expect(
      try Data(contentsOf: URL(filePath: path))
        == Data(contentsOf: URL(filePath: fixtures.path("copy.toy"))))
  }

  @Test func `an error carries message, offset, file and the plugin whose message it is`() throws {
    let path = try makeFile("a.toy", packets: 2)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[16 + 404 + 2] = 0xFF
    try bytes.write(to: URL(filePath: path))
    let demuxer = try registry.openDemuxer(try FileSource(path: path))
    #expect(try demuxer.read() != nil)
    #expect {
      _ = try demuxer.read()
    } throws: {
      let error = $0 as? MediaError
      return error?.code == .malformed && error?.offset == 420 && error?.file == path
        && error?.message == "a packet's length does not fit the file"
        && error?.description
          == "\(path): a packet's length does not fit the file (byte 420, plugin toy)"
    }
    #expect(try demuxer.read() == nil)
  }

  @Test func `an unknown codec is rejected with the muxer's reason`() throws {
    let muxer = try #require(registry.muxer(named: "toy"))
    #expect {
      try registry.checkMuxer(
        muxer, track: TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 25)))
    } throws: {
      ($0 as? MediaError)?.message == "a toy file carries toy_pcm and nothing else"
        && ($0 as? MediaError)?.code == .unsupported
    }
    try registry.checkMuxer(muxer, track: Self.track)
  }

  static let options: [(PluginOption, String)] = [
    (PluginOption("levle", "3"), "no option \"levle\"; it has flavour, level"),
    (PluginOption("level", "12"), "level is \"12\"; it takes a whole number from 0 to 9"),
    (PluginOption("flavour", "sour"), "it takes one of plain, fancy"),
  ]

  @Test(arguments: options)
  func `an option that the schema does not allow is rejected`(option: PluginOption, words: String)
    throws
  {
    let encoder = try #require(registry.encoder(named: "toy_pcm"))
    #expect {
      _ = try registry.openEncoder(
        encoder, EncoderSettings(track: Self.track, options: [option]))
    } throws: {
      ($0 as? MediaError)?.code == .invalidArgument
        && ($0 as? MediaError)?.message.contains(words) == true
    }
  }

  @Test func `a file of an unknown format is rejected, an empty one as empty`() throws {
    try fixtures.write("nothing known", as: "a.txt")
    try fixtures.write("", as: "empty.toy")
    #expect(throws: MediaError.self) {
      _ = try registry.openDemuxer(try FileSource(path: fixtures.path("a.txt")))
    }
    #expect {
      _ = try registry.openDemuxer(try FileSource(path: fixtures.path("empty.toy")))
    } throws: { ($0 as? MediaError)?.message == "the file is empty" }
  }

  /// Returns the memory maps of the process.
  ///
  /// Reads to the end, as a file in /proc reports no size.
  private func maps() throws -> String {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test func `no plugin is opened to list or to choose`() throws {
    _ = registry.decoders(for: Self.track)
    _ = registry.encoders(for: "toy_pcm")
    let before = try maps()
    #expect(!before.contains(fixtures.path("toy.so")))
    _ = try registry.openDecoder(Self.track, threads: 1)
    let after = try maps()
    #expect(after.contains(fixtures.path("toy.so")))
  }

  @Test func `a codec that no plugin decodes is named`() throws {
    #expect {
      _ = try registry.openDecoder(
        TrackDescription(kind: .video, codec: "av9", timeBase: Rational(1, 25)), threads: 1)
    } throws: { ($0 as? MediaError)?.message == "no plugin decodes av9" }
  }

  @Test func `canceling the source ends reading as cancelled`() throws {
    let source = try FileSource(path: try makeFile("a.toy", packets: 3))
    let demuxer = try registry.openDemuxer(source)
    source.cancel()
    #expect { _ = try demuxer.read() } throws: { ($0 as? MediaError)?.code == .cancelled }
  }
}
