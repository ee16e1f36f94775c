import PluginHost
import RespoolPlugin
import Testing

@testable import Matroska

/// Codecs that are written with the codes of RIFF and QuickTime, and read again.
@Suite struct CompatibilityCodecTests {
  private func written(_ track: TrackDescription) throws -> (track: TrackDescription, id: String) {
    let file = MemoryFile(name: "a.mkv")
    let plugin = try LoadedPlugin("Matroska")
    let media = MediaDescription(format: "matroska", tracks: [track])
    let muxer = try OpenMuxer(plugin, "matroska", media, file)
    for time in 0..<4 as Range<Int64> {
      try muxer.write(
        Packet(
          track: 0, pts: time, dts: time, duration: 1, flags: .key,
          payload: .bytes(MediaBuffer([1, 2, 3]))))
    }
    try muxer.finish(media)
    let elements = try Element.parse(file.bytes)
    let id = elements.all(0x1853_8067, 0x1654_AE6B, 0xAE, 0x86).first?.text ?? ""
    let demuxer = try OpenDemuxer(plugin, "matroska", MemoryFile(file.bytes, name: "a.mkv"))
    return (try #require(demuxer.media.tracks.first), id)
  }

  private func video(_ codec: String, _ code: FourCC, bits: Int) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height, track.bitsPerSample) = (64, 48, bits)
    (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
    track.codecTag = code.tag
    return track
  }

  @Test(
    arguments: [
      ("huffyuv", "HFYU", 24, "V_MS/VFW/FOURCC"), ("utvideo", "ULH0", 24, "V_MS/VFW/FOURCC"),
      ("dvvideo", "dvsd", 24, "V_MS/VFW/FOURCC"), ("wmv2", "WMV2", 24, "V_MS/VFW/FOURCC"),
      ("msmpeg4v2", "MP42", 24, "V_MS/VFW/FOURCC"), ("png", "MPNG", 24, "V_MS/VFW/FOURCC"),
      ("rawvideo", "UYVY", 16, "V_UNCOMPRESSED"), ("qtrle", "rle ", 32, "V_QUICKTIME"),
      ("cinepak", "cvid", 24, "V_QUICKTIME"), ("snow", "SNOW", 0, "V_SNOW"),
    ] as [(String, FourCC, Int, String)])
  func `video keeps its codec, code and bits`(
    codec: String, code: FourCC, bits: Int, id: String
  ) throws {
    let result = try written(video(codec, code, bits: bits))
    #expect(result.id == id)
    #expect(result.track.codec == codec)
    if id != "V_SNOW" { #expect(result.track.codecTag == code.tag) }
    if id.hasPrefix("V_M") || id == "V_QUICKTIME" { #expect(result.track.bitsPerSample == bits) }
  }

  @Test func `the data of the codec follows the bitmap header`() throws {
    var track = video("huffyuv", "HFYU", bits: 24)
    track.extradata = [0x40, 0x18, 0x20, 0, 0x42]
    #expect(try written(track).track.extradata == track.extradata)
  }

  @Test func `a code follows from the pixel format if the source has none`() throws {
    var track = video("utvideo", FourCC(rawValue: 0), bits: 0)
    track.pixelFormat = .yuv422p
    #expect(try written(track).track.codecTag == FourCC("ULY2").tag)
    track.color.matrix = 1
    #expect(try written(track).track.codecTag == FourCC("ULH2").tag)
    track.pixelFormat = .none
    #expect(throws: MediaError.self) { try written(track) }
  }

  @Test func `uncompressed video without a code needs a format that its bits state`() throws {
    var track = video("rawvideo", FourCC(rawValue: 0), bits: 24)
    track.pixelFormat = .bgr24
    let result = try written(track)
    #expect(result.id == "V_MS/VFW/FOURCC")
    #expect(result.track.pixelFormat == .bgr24)
    track.pixelFormat = .yuv444p
    #expect(throws: MediaError.self) { try written(track) }
  }

  @Test func `frames of any size have a bitmap header`() {
    let header = BitmapHeader(code: FourCC(rawValue: 0), bitsPerPixel: .max, extradata: [])
    for size in [Int.min, 0, 1, Int.max] {
      #expect(header.bytes(width: size, height: size).count == 40)
    }
  }

  @Test(
    arguments: [
      ("wmav2", 0x0161, 16, [1, 2, 3, 4, 5, 6]), ("adpcm_ms", 2, 4, [244, 3]),
      ("pcm_mulaw", 7, 8, []),
    ] as [(String, UInt32, Int, [UInt8])])
  func `audio keeps the properties of its wave format`(
    codec: String, tag: UInt32, bits: Int, extradata: [UInt8]
  ) throws {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, 44100))
    (track.sampleRate, track.channelLayout) = (44100, .stereo)
    (track.bitsPerSample, track.blockAlign, track.extradata) = (bits, 2, extradata)
    (track.bitRate, track.codecTag) = (128_000, tag)
    let result = try written(track)
    #expect(result.id == "A_MS/ACM")
    #expect(result.track.codec == codec)
    #expect(result.track.codecTag == tag)
    #expect(result.track.extradata == extradata)
    #expect(result.track.blockAlign == 2)
    #expect(result.track.bitsPerSample == bits)
  }
}
