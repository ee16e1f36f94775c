import PluginHost
import RespoolPlugin
import Testing

@testable import Matroska

/// Codecs that Matroska stores with the codes of other containers, and identifiers that need more than a name.
@Suite struct CodecIdentifierTests {
  /// Returns a track with a codec identifier.
  static func track(
    _ id: String, type: Int = 1, _ codecPrivate: [UInt8] = [],
    _ more: @escaping (inout EBMLWriter) -> Void = { _ in }
  ) -> (inout EBMLWriter) -> Void {
    { entry in
      entry.unsigned(.trackNumber, 1)
      entry.unsigned(.trackUID, 1)
      entry.unsigned(.trackType, type)
      entry.text(.codecID, id)
      if !codecPrivate.isEmpty { entry.binary(.codecPrivate, codecPrivate) }
      if type == 1 {
        entry.unsigned(.defaultDuration, 40_000_000)
        entry.master(.video) { video in
          video.unsigned(.pixelWidth, 64)
          video.unsigned(.pixelHeight, 48)
          more(&video)
        }
      } else {
        entry.master(.audio) { audio in
          audio.float(.samplingFrequency, 44100)
          audio.unsigned(.channels, 2)
          audio.unsigned(.bitDepth, 16)
        }
      }
    }
  }

  /// Returns a file with one track and the frames, 40 ms apart.
  static func file(_ track: @escaping (inout EBMLWriter) -> Void, _ frames: [[UInt8]])
    -> MatroskaFile
  {
    var file = MatroskaFile(tracks: [track])
    file.clusters = [
      (
        0,
        { writer in
          for (index, frame) in frames.enumerated() {
            writer.binary(.simpleBlock, MatroskaFile.block(1, index * 40, frame))
          }
        }
      )
    ]
    file.duration = Double(frames.count * 40)
    return file
  }

  private static func bitmap(_ code: FourCC, bits: Int = 24, _ extradata: [UInt8] = []) -> [UInt8] {
    BitmapHeader(code: code, bitsPerPixel: bits, extradata: extradata).bytes(width: 64, height: 48)
  }

  private func describe(
    _ track: @escaping (inout EBMLWriter) -> Void, frame: [UInt8] = [1, 2, 3]
  ) throws -> TrackDescription {
    try #require(try Self.file(track, [frame]).open().media.tracks.first)
  }

  // MARK: Codes of RIFF

  @Test(
    arguments: [
      ("HFYU", "huffyuv", "yuv422p"), ("FFVH", "ffvhuff", "yuv422p"), ("ULRG", "utvideo", "gbrp"),
      ("ULY0", "utvideo", "yuv420p"), ("ULH2", "utvideo", "yuv422p"),
      ("UQY2", "utvideo", "yuv422p10le"), ("M8RA", "magicyuv", "gbrap"),
      ("DIVX", "mpeg4", "yuv420p"), ("xvid", "mpeg4", "yuv420p"), ("MP42", "msmpeg4v2", "yuv420p"),
      ("DIV3", "msmpeg4v3", "yuv420p"), ("WMV2", "wmv2", "yuv420p"), ("cvid", "cinepak", "rgb24"),
      ("dvsd", "dvvideo", "none"), ("VP80", "vp8", "yuv420p"), ("SNOW", "snow", "none"),
      ("I420", "rawvideo", "yuv420p"), ("YUY2", "rawvideo", "yuyv422"),
      ("v210", "v210", "yuv422p10le"),
    ] as [(FourCC, String, String)])
  func `a code in a bitmap header states the codec`(
    code: FourCC, codec: String, format: String
  ) throws {
    let bits = codec == "huffyuv" || codec == "ffvhuff" ? 16 : 24
    let header = Self.bitmap(code, bits: bits, [7, 8])
    let track = try describe(Self.track("V_MS/VFW/FOURCC", header))
    #expect(track.codec == codec)
    #expect(track.codecTag == code.tag)
    #expect(track.extradata == [7, 8])
    #expect(track.bitsPerSample == bits)
    #expect(track.pixelFormat.name == format)
    #expect(track.frameRate == Rational(25, 1))
  }

  @Test func `uncompressed RGB in a bitmap header has the format of its bits`() throws {
    let header = Self.bitmap(FourCC(rawValue: 0), bits: 32)
    let track = try describe(Self.track("V_MS/VFW/FOURCC", header))
    #expect(track.codec == "rawvideo")
    #expect(track.pixelFormat == .bgra)
  }

  @Test func `an unknown code keeps the rest of the file readable`() throws {
    var file = Self.file(Self.track("V_MS/VFW/FOURCC", Self.bitmap("ZZZZ")), [[1]])
    file.tracks.append(MatroskaFile.audio(2))
    file.front = { segment in
      segment.master(.chapters) { chapters in
        for uid in 1...2 {
          chapters.master(.editionEntry) { edition in
            edition.master(.chapterAtom) { atom in
              atom.unsigned(.chapterUID, uid)
              atom.unsigned(.chapterTimeStart, 0)
            }
          }
        }
      }
    }
    let media = try file.open().media
    #expect(media.tracks.map(\.codec) == ["", "pcm_s16le"])
    #expect(media.tracks[0].codecTag == FourCC("ZZZZ").tag)
    #expect(media.sideData[.matroskaChapters] != nil)
  }

  @Test(arguments: ["V_FOOBAR", "A_FOO/BAR", "S_KATE"])
  func `an unknown identifier is the name of the codec`(id: String) throws {
    let type = id.first == "V" ? 1 : id.first == "A" ? 2 : 17
    let demuxer = try Self.file(Self.track(id, type: type), [[1]]).open()
    #expect(demuxer.media.tracks.map(\.codec) == [id])
    #expect(try demuxer.readAll().count == 1)
  }

  /// Intra, predictive and bidirectional frames of codecs with an identifier of Windows.
  private static let frames: [FourCC: [[UInt8]]] = [
    "XVID": [0, 1, 2].map { [0, 0, 1, 0xB6, $0 << 6, 0] },
    "mpg2": [1, 2, 3].map { [0, 0, 1, 0, 0, $0 << 3, 0, 0] },
    // Two bits for the number of the frame, then 01, 1 and 00.
    "WMV3": [0b0001_0000, 0b0010_0000, 0b0000_0000].map { [$0, 0, 0, 0] },
    // 110, 0 and 10.
    "WVC1": [0b1100_0000, 0b0000_0000, 0b1000_0000].map { [0, 0, 1, 0x0D, $0, 0, 0, 0] },
  ]
  private static let extradata: [FourCC: [UInt8]] = [
    "WMV3": [0x44, 0x21, 0x1A, 0x11],
    "WVC1": [0, 0, 1, 0x0F, 0xC0, 0, 0, 0, 0, 0x80, 0, 0x80],
  ]

  @Test(arguments: ["XVID", "mpg2", "WMV3", "WVC1"] as [FourCC])
  func `frames with decoding times are shown in their display order`(code: FourCC) throws {
    let types = try #require(Self.frames[code])
    let header = Self.bitmap(code, Self.extradata[code] ?? [])
    let demuxer = try Self.file(
      Self.track("V_MS/VFW/FOURCC", header), [0, 1, 2, 2, 1, 2, 2].map { types[$0] }
    ).open()
    let packets = try demuxer.readAll()
    #expect(packets.map(\.pts) == [0, 120, 40, 80, 240, 160, 200])
    #expect(demuxer.media.tracks[0].reorderDepth == 1)
    #expect(packets.map(\.dts) == [-40, 0, 40, 80, 120, 160, 200])
  }

  @Test func `a stream that states no bidirectional frames is shown in decoding order`() throws {
    let header = Self.bitmap("WMV3", [0x44, 0x21, 0x1A, 0x01])
    let frames = [[0x00, 0, 0], [0x20, 0, 0], [0x20, 0, 0]] as [[UInt8]]
    let packets = try Self.file(Self.track("V_MS/VFW/FOURCC", header), frames).open().readAll()
    #expect(packets.map(\.pts) == [0, 40, 80])
    #expect(packets.map(\.dts) == [0, 40, 80])
  }

  @Test func `a codec whose order only a parser finds is left to another plugin`() throws {
    let file = Self.file(Self.track("V_MS/VFW/FOURCC", Self.bitmap("H264")), [[1]])
    let error = #expect(throws: MediaError.self) { try file.open() }
    #expect(error?.code == .unsupported)
  }

  // MARK: Other containers

  @Test func `a sample description of QuickTime states the codec and its depth`() throws {
    let entry = SampleEntry(code: "rle ", depth: 32, extradata: [])
    let track = try describe(Self.track("V_QUICKTIME", entry.bytes))
    #expect(track.codec == "qtrle")
    #expect(track.pixelFormat == .argb)
    #expect(track.extradata == entry.bytes)
    // Some writers omit the size before the code.
    let short = try describe(Self.track("V_QUICKTIME", Array(entry.bytes[4...])))
    #expect(short.codec == "qtrle")
  }

  @Test func `uncompressed video has the format of its code`() throws {
    let track = try describe(
      Self.track("V_UNCOMPRESSED") { $0.binary(.uncompressedFourCC, Array("UYVY".utf8)) })
    #expect(track.codec == "rawvideo")
    #expect(track.pixelFormat == .uyvy422)
  }

  @Test(
    arguments: [
      (0x0161, "wmav2", 16), (0x0002, "adpcm_ms", 4), (0x0007, "pcm_mulaw", 8),
      (0x0001, "pcm_s24le", 24), (0x0031, "gsm_ms", 0), (0x1234, "", 16),
    ] as [(UInt16, String, Int)])
  func `a wave format states codec, channels and rate`(
    tag: UInt16, codec: String, bits: Int
  ) throws {
    let header = WaveFormatHeader(
      tag: tag, channelCount: 1, sampleRate: 22050, bytesPerSecond: 4000, blockAlign: 512,
      bitsPerSample: bits, extradata: [1, 2])
    let track = try describe(Self.track("A_MS/ACM", type: 2, header.bytes))
    #expect(track.codec == codec)
    #expect(track.codecTag == UInt32(tag))
    #expect(track.sampleRate == 22050)
    #expect(track.channelLayout.channelCount == 1)
    if !codec.hasPrefix("pcm_") {
      #expect(track.extradata == [1, 2])
      #expect(track.bitRate == 32000)
    }
  }

  @Test func `a wave format that ends early is left to another plugin`() throws {
    for count in 1..<14 {
      let file = Self.file(
        Self.track("A_MS/ACM", type: 2, [UInt8](repeating: 1, count: count)), [[1]])
      let error = #expect(throws: MediaError.self) { try file.open() }
      #expect(error?.code == .unsupported)
    }
  }

  // MARK: Audio

  @Test func `TTA gets the header of its own files`() throws {
    var file = Self.file(Self.track("A_TTA1", type: 2), [[1]])
    file.duration = 1300
    let track = try #require(try file.open().media.tracks.first)
    #expect(
      track.extradata.starts(with: Array("TTA1".utf8) + [1, 0, 2, 0, 16, 0, 0x44, 0xAC, 0, 0]))
    // 57330 samples, whose last frame is shorter than the others.
    #expect(track.extradata[14..<18].elementsEqual([0xF2, 0xDF, 0, 0]))
    #expect(track.extradata.count == 22)
    #expect(track.sampleFormat == .s16)
  }

  @Test func `WavPack blocks get whole headers, and lose them again`() throws {
    // Two blocks of a packet: 100 samples, flags for the first and the last one.
    let block = { (flags: UInt32, body: [UInt8]) -> [UInt8] in
      var bytes = LittleEndianBytes()
      bytes.bytes = Array("wvpk".utf8)
      bytes.add(UInt32(24 + body.count))
      bytes.bytes += [0x10, 4] + [UInt8](repeating: 0, count: 10)
      bytes.add(UInt32(100))
      bytes.add(flags)
      bytes.bytes += [9, 8, 7, 6]
      return bytes.bytes + body
    }
    for packet in [
      block(0x1801 | 9 << 23, [1, 2, 3]), block(0x0801, [1, 2, 3]) + block(0x1001, [4, 5]),
    ] {
      let stored = try WavPackBlocks.stripped(packet)
      let demuxer = try Self.file(Self.track("A_WAVPACK4", type: 2, [0x10, 4]), [stored]).open()
      #expect(demuxer.media.tracks[0].codec == "wavpack")
      #expect(demuxer.media.tracks[0].sampleFormat == .s16p)
      let read = try #require(try demuxer.readAll().first)
      #expect(read.buffer.map { Array($0.readOnly) } == packet)
      #expect(read.duration == 100)
    }
  }

  @Test func `damaged WavPack blocks never crash`() {
    let packet: [UInt8] = [100, 0, 0, 0, 1, 0, 0, 0, 9, 8, 7, 6, 255, 255, 255, 255, 1, 2, 3]
    for count in 0...packet.count {
      _ = WavPackBlocks.restored(Array(packet.prefix(count)), version: [0x10, 4])
    }
  }
}
