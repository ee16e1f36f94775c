import RespoolMedia
import Testing

@testable import RespoolVerifier

/// Checks of the framing, the key flags and the trims of packets.
@Suite struct PacketCheck {
  private static func track(_ codec: String, extradata: [UInt8] = []) -> TrackDescription {
    let isVideo = ["h264", "hevc", "av1", "vp8", "vp9", "mjpeg"].contains(codec)
    var track = TrackDescription(
      kind: isVideo ? .video : .audio, codec: codec, timeBase: Rational(1, 48000))
    track.extradata = extradata
    if codec.hasPrefix("pcm_") { track.blockAlign = 4 }
    return track
  }

  private static func packet(_ bytes: [UInt8], _ flags: Packet.Flags = .key) -> Packet {
    Packet(track: 0, pts: 0, dts: 0, flags: flags, payload: .bytes(MediaBuffer(bytes)))
  }

  /// Returns the reason of the failure; `nil` if the check passes.
  private static func reason(_ body: () throws(Finding) -> Void) -> String? {
    do throws(Finding) { try body() } catch { return error.words }
    return nil
  }

  /// A codec with a right and a wrong packet, and words of the reason.
  struct Case: Sendable, CustomTestStringConvertible {
    var codec: String
    var extradata: [UInt8] = []
    var right: [UInt8]
    var wrong: [UInt8]
    var words: String
    var testDescription: String { "\(codec): \(words)" }
  }

  private static let adts: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 1, 0x1F, 0xFC, 7]
  private static let avcC: [UInt8] = [1, 66, 0xC0, 40, 0xFF]

  static let cases = [
    Case(
      codec: "h264", extradata: avcC, right: [0, 0, 0, 1, 0x65], wrong: [0, 0, 0, 1, 0x65, 9],
      words: "start codes (Annex B) were found"),
    Case(
      codec: "h264", right: [0, 0, 0, 1, 0x65, 9], wrong: [0, 0, 0, 2, 0x65, 9],
      words: "no start code"),
    Case(
      codec: "hevc", right: [0, 0, 1, 0x26, 1, 9], wrong: [0, 0, 0, 3, 0x26, 1, 9],
      words: "no start code"),
    Case(codec: "av1", right: [0x32, 1, 9], wrong: [0x30, 9], words: "size field"),
    Case(
      codec: "av1", extradata: [0x81, 0, 0, 0], right: [0x32, 1, 9], wrong: [0x12, 0, 0x32, 1, 9],
      words: "temporal delimiter"),
    Case(
      codec: "aac", extradata: [0x11, 0x90], right: [7], wrong: adts, words: "an ADTS header"),
    Case(codec: "aac", right: adts, wrong: [7], words: "no ADTS header"),
    Case(codec: "opus", right: [0xFC], wrong: Array("OpusTags".utf8), words: "a header of Opus"),
    Case(codec: "vorbis", right: [2], wrong: [3] + Array("vorbis".utf8), words: "of Vorbis"),
    Case(codec: "flac", right: [0xFF, 0xF8], wrong: Array("fLaC".utf8), words: "sync code"),
    Case(codec: "mp3", right: [0xFF, 0xFB], wrong: Array("ID3".utf8), words: "sync word"),
    Case(codec: "vp8", right: [0, 0, 0, 0x9D, 1, 0x2A], wrong: [0, 0, 0, 0], words: "start code"),
    Case(codec: "vp9", right: [0x82], wrong: [0x49], words: "frame marker"),
    Case(codec: "pcm_s16le", right: [1, 2, 3, 4], wrong: [1, 2, 3], words: "block_align"),
    Case(codec: "ac3", right: [0x0B], wrong: Array("OggS".utf8), words: "Ogg page"),
  ]

  @Test(arguments: cases)
  func `packets have the framing of the contract`(one: Case) {
    let track = Self.track(one.codec, extradata: one.extradata)
    func check(_ bytes: [UInt8]) -> String? {
      Self.reason { () throws(Finding) in
        try PacketFraming(track: track, packets: [Self.packet(bytes)]).check()
      }
    }
    #expect(check(one.right) == nil)
    #expect(check(one.wrong)?.contains(one.words) == true)
  }

  private static func keyProblem(_ track: TrackDescription, _ packets: [Packet]) -> String? {
    reason { () throws(Finding) in try KeyFlagCheck(track: track, packets: packets).run() }
  }

  @Test(arguments: [
    ("vp8", [0x10] as [UInt8], [0x11] as [UInt8]), ("vp9", [0x82], [0x86]),
  ])
  func `the bitstream shows where the key flag belongs`(
    codec: String, key: [UInt8], other: [UInt8]
  ) {
    let track = Self.track(codec)
    let rest = [Self.packet(other, [])]
    #expect(Self.keyProblem(track, [Self.packet(key)] + rest) == nil)
    #expect(Self.keyProblem(track, [Self.packet(key), Self.packet(key, [])])?.isEmpty == false)
    #expect(Self.keyProblem(track, [Self.packet(key), Self.packet(other)])?.isEmpty == false)
    #expect(Self.keyProblem(track, rest)?.contains("decoding can start nowhere") == true)
  }

  @Test func `each packet of audio has the key flag unless it may depend on others`() {
    let mixed = [Self.packet([1]), Self.packet([1], [])]
    #expect(Self.keyProblem(Self.track("aac"), mixed)?.contains("packet 1") == true)
    #expect(Self.keyProblem(Self.track("truehd"), mixed) == nil)
    #expect(Self.keyProblem(Self.track("unknown"), mixed) == nil)
    #expect(Self.keyProblem(Self.track("unknown"), mixed.reversed())?.contains("first") == true)
  }

  @Test(arguments: [
    ([0, 1, 2, 3], 0), ([0, 2, 1, 4, 3], 1), ([0, 4, 2, 1, 3, 8], 2), ([0, 3, 2, 1], 2),
  ])
  func `the depth of reordering follows from the times`(times: [Int64], depth: Int) {
    let packets = times.map { time in
      var packet = Self.packet([1])
      packet.pts = time
      return packet
    }
    #expect(packets.reordering == depth)
    #expect(Self.reason { () throws(Finding) in try packets.checkReordering(depth) } == nil)
    guard depth > 0 else { return }
    let problem = Self.reason { () throws(Finding) in try packets.checkReordering(depth - 1) }
    #expect(problem?.hasPrefix("reorder_depth is \(depth - 1), but \(depth) packet") == true)
  }

  @Test func `a trim is no longer than its packet`() {
    var packet = Self.packet([1])
    func problem() -> String? {
      Self.reason { () throws(Finding) in try [packet].checkTrims() }
    }
    (packet.duration, packet.trimStart, packet.trimEnd) = (480, 80, 400)
    #expect(problem() == nil)
    packet.trimEnd = 401
    #expect(problem()?.contains("more is to be dropped") == true)
    packet.duration = 0
    #expect(problem() == nil)
  }

  /// Returns a track of Vorbis whose packets start at `times`, in units of 1/48000 s.
  private static func vorbis(_ name: String, _ times: [Int64]) -> PeerTrack {
    let packets = times.map { time in
      Packet(
        track: 0, pts: time, dts: time, duration: 1024, flags: .key,
        payload: .bytes(MediaBuffer([0])))
    }
    return PeerTrack(name: name, number: 0, track: track("vorbis"), packets: packets, shift: 0)
  }

  /// libavformat adds durations that are rounded to milliseconds within a laced block.
  @Test(arguments: [
    (lacing: 8, count: 64, isAccepted: true), (lacing: 64, count: 64, isAccepted: false),
  ])
  func `rounding within a laced block is no difference of times`(
    lacing: Int, count: Int, isAccepted: Bool
  ) {
    let exact = (0..<count).map { Int64($0) * 1024 }
    let rounded = (0..<count).map { number in
      let block = number / lacing * lacing
      // Milliseconds in units of 1/48000 s.
      return (exact[block] / 48 + Int64(number - block) * 21) * 48
    }
    let times = PeerTimes(own: Self.vorbis("mine", exact), other: Self.vorbis("peer", rounded))
    let reason = Self.reason { () throws(Finding) in try times.check() }
    #expect((reason == nil) == isAccepted, "\(reason ?? "")")
  }

  @Test func `a jump of times is a difference`() {
    let exact = (0..<20).map { Int64($0) * 1024 }
    let late = exact.enumerated().map { $0.element + ($0.offset < 5 ? 0 : 144) }
    let times = PeerTimes(own: Self.vorbis("mine", exact), other: Self.vorbis("peer", late))
    let reason = Self.reason { () throws(Finding) in try times.check() }
    #expect(reason?.hasPrefix("packet 5: mine reads pts") == true, "\(reason ?? "")")
  }
}
