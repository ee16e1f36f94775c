import RespoolMedia
import Testing

@testable import RespoolVerifier

/// Checks of configuration records of codecs for which the fixtures have no encoder.
@Suite struct ConfigurationCheck {
  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(String(digits.dropFirst(place).prefix(2)), radix: 16)
    }
  }

  /// Parameter sets that x265 wrote for frames of 162x90 pixels.
  private static let parameterSets = bytes(
    """
    00000001 40010c01 ffff0408 00000300 9e080000 0300001e 959809 00000001 42010104 08000003
    009e0800 00030000 1e9002a4 0c39e7cb 2b349265 780b7020 20004000 00030040 00000642 00000001
    4401c172 860c4624
    """)
  private static let sequenceHeader = bytes("0a0b0000002d4c37b3dfff9804")

  private static func track(_ codec: String, _ extradata: [UInt8]) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height, track.extradata) = (162, 90, extradata)
    return track
  }

  private static func packet(_ bytes: [UInt8], _ flags: Packet.Flags = .key) -> Packet {
    Packet(track: 0, pts: 0, dts: 0, flags: flags, payload: .bytes(MediaBuffer(bytes)))
  }

  /// Returns the reason of the failure; `nil` if the check passes.
  private static func problem(_ track: TrackDescription, _ packet: Packet) -> String? {
    do throws(Finding) {
      _ = try ConfigurationChecks.check(track, [packet], sampleCount: 0)
      return nil
    } catch { return error.words }
  }

  @Test func `hvcC is compared with its parameter sets and with the packets`() throws {
    let record = try #require(try HEVCConfiguration(byteStream: Self.parameterSets))
    let idr: [UInt8] = [0, 0, 0, 3, 0x26, 1, 0]
    let track = Self.track("hevc", record.bytes)
    #expect(Self.problem(track, Self.packet(idr)) == nil)
    #expect(Self.problem(track, Self.packet(idr, []))?.contains("no key flag") == true)
    let stream = Self.packet([0, 0, 0, 1, 0x26, 1, 0])
    #expect(Self.problem(track, stream)?.contains("Annex B") == true)
    let short = Self.packet([0, 0, 0, 9, 0x26, 1])
    #expect(Self.problem(track, short)?.contains("do not fill") == true)
    #expect(
      Self.problem(Self.track("hevc", Self.parameterSets), Self.packet(idr))?.contains("Annex B")
        == true)
    #expect(
      Self.problem(Self.track("hevc", record.bytes + [0]), Self.packet(idr))?
        .contains("its fields have") == true)
    #expect(
      Self.problem(Self.track("hevc", record.bytes.dropLast(2)), Self.packet(idr))?
        .contains("cannot be parsed") == true)
    var other = record
    other.profileTierLevel[11] = 93
    #expect(
      Self.problem(Self.track("hevc", other.bytes), Self.packet(idr))?.contains("another profile")
        == true)
    other = record
    other.arrays.removeFirst()
    #expect(
      Self.problem(Self.track("hevc", other.bytes), Self.packet(idr))?
        .contains("no video parameter set") == true)
    let set = try #require(record.arrays.first { $0.type == 33 }?.units.first)
    let inBand = [0, 0, 0, UInt8(set.count)] + set
    #expect(
      Self.problem(track, Self.packet(inBand + idr))?.contains("array_completeness of hvcC is 1")
        == true)
    other = record
    for index in other.arrays.indices { other.arrays[index].isComplete = false }
    #expect(Self.problem(Self.track("hevc", other.bytes), Self.packet(inBand + idr)) == nil)
    #expect(
      Self.problem(track, Self.packet(inBand.dropLast() + [set[set.count - 1] ^ 0x80] + idr))?
        .contains("that hvcC does not have") == true)
    var wide = track
    wide.width = 164
    #expect(Self.problem(wide, Self.packet(idr))?.contains("162x90") == true)
  }

  @Test func `av1C is compared with its sequence header and with the packets`() throws {
    let record = try #require(try AV1Configuration(units: Self.sequenceHeader)).bytes
    let frame: [UInt8] = [0x32, 2, 0xCD, 0xEA]
    let track = Self.track("av1", record)
    #expect(Self.problem(track, Self.packet(frame)) == nil)
    #expect(Self.problem(track, Self.packet([0x12, 0] + frame))?.contains("delimiter") == true)
    #expect(Self.problem(track, Self.packet(Self.sequenceHeader + frame)) == nil)
    var changed = Self.sequenceHeader
    changed[changed.count - 1] ^= 4
    #expect(
      Self.problem(track, Self.packet(changed + frame))?
        .contains("is not that of the first packet") == true)
    #expect(Self.problem(track, Self.packet([0x32, 9, 0]))?.contains("do not fill") == true)
    #expect(Self.problem(track, Self.packet([0x30, 0xCD]))?.contains("size field") == true)
    var other = record
    other[1] ^= 0x20
    #expect(
      Self.problem(Self.track("av1", other), Self.packet(frame))?.contains("another profile")
        == true)
    #expect(
      Self.problem(Self.track("av1", Self.sequenceHeader), Self.packet(frame))?
        .contains("not av1C") == true)
  }

  @Test func `records of audio are compared with the track`() {
    var track = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout) = (48000, .stereo)
    track.extradata = AudioSpecificConfiguration(sampleRate: 48000, channelConfiguration: 2).bytes
    #expect(Self.problem(track, Self.packet([1])) == nil)
    track.sampleRate = 44100
    #expect(Self.problem(track, Self.packet([1]))?.contains("sample rate 48000") == true)
    track.extradata = []
    #expect(Self.problem(track, Self.packet([1]))?.contains("no extradata") == true)
    track.codec = "flac"
    track.extradata = [1, 2, 3]
    #expect(Self.problem(track, Self.packet([1]))?.contains("STREAMINFO has 34") == true)
  }

  @Test(arguments: ["pcm_s16le", "mp3", "ac3", "truehd"])
  func `a codec without a configuration record has no extradata`(codec: String) {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout) = (48000, .stereo)
    #expect(Self.problem(track, Self.packet([0xFF, 0xFB, 0, 0])) == nil)
    track.extradata = [1]
    #expect(
      Self.problem(track, Self.packet([0xFF, 0xFB, 0, 0]))?.contains("no configuration record")
        == true)
  }
}
