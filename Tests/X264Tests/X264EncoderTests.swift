import PluginHost
import RespoolPlugin
import Testing

@testable import X264

@Suite struct X264EncoderTests {
  private func picture(_ settings: EncoderSettings, _ index: Int, pts: Int64) -> Frame? {
    Frame.gradient(settings.track, index, pts: pts)
  }

  private func settings(
    _ format: PixelFormat = .yuv420p, options: [PluginOption] = [], quality: Double? = nil,
    bitRate: Int64? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 25))
    (track.width, track.height) = (64, 48)
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    return EncoderSettings(track: track, bitRate: bitRate, quality: quality, options: options)
  }

  private func encode(_ settings: EncoderSettings, times: [Int64]) throws -> (
    X264Encoder, [Packet]
  ) {
    let encoder = try X264Encoder(settings: settings)
    let frames = try times.enumerated().map { index, time in
      try #require(picture(settings, index, pts: time))
    }
    return (encoder, try Coding.encode(frames, with: encoder))
  }

  @Test func `HDR metadata and captions are written as SEI messages`() throws {
    var settings = settings(.yuv420p10le)
    settings.track.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
    let display = MasteringDisplay(
      red: .init(x: UInt16(34000), y: UInt16(16000)),
      green: .init(x: UInt16(13250), y: UInt16(34500)),
      blue: .init(x: UInt16(7500), y: UInt16(3000)),
      whitePoint: .init(x: UInt16(15635), y: UInt16(16450)),
      maximumLuminance: 10_000_000, minimumLuminance: 50)
    let level = ContentLightLevel(maximum: 1000, maximumAverage: 400)
    settings.track.sideData = [
      SideData(.masteringDisplay, display.bytes), SideData(.contentLightLevel, level.bytes),
    ]
    let encoder = try X264Encoder(settings: settings)
    #expect(encoder.track.sideData == settings.track.sideData)
    let caption: [UInt8] =
      [0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x41, 0xFF, 0xFC, 0x94, 0x20, 0xFF]
    let frames = try (0..<4).map { index in
      var frame = try #require(picture(settings, index, pts: Int64(index)))
      frame.sideData = [
        SideData(.registeredUserData, caption), SideData("none", [1]),
        SideData(.registeredUserData, caption + [UInt8(index)]),
      ]
      return frame
    }
    let bytes = try Coding.encode(frames, with: encoder).flatMap(\.bytes)
    // Type and size come before a payload (7.3.2.3.1). Types 137 and 144 are the messages of HDR10.
    func count(_ part: [UInt8]) -> Int {
      bytes.indices.count { bytes[$0...].starts(with: part) }
    }
    // Emulation prevention inserts bytes into the zeros of the luminance, so only 16 bytes are compared.
    #expect(count([137, 24] + display.bytes.prefix(16)) == 1)
    #expect(count([144, 4] + level.bytes) == 1)
    #expect(count([4, UInt8(caption.count)] + caption.prefix(8)) == 4)
    #expect(count([4, UInt8(caption.count + 1)] + caption.prefix(8)) == 4)
  }

  /// Returns the number of frames sent before the encoder returns the first packet.
  private func delay(_ settings: EncoderSettings) throws -> Int {
    let encoder = try X264Encoder(settings: settings)
    for index in 0..<200 {
      let frame = try #require(picture(settings, index, pts: Int64(index)))
      _ = try encoder.send(frame)
      if case .value = try encoder.receive() { return index + 1 }
    }
    return .max
  }

  @Test func `low delay holds back one frame by default`() throws {
    let live = PluginOption("low-delay", "true")
    #expect(try delay(settings()) > 40)
    #expect(try delay(settings(options: [live])) == 2)
    var asked = settings()
    asked.isLowDelay = true
    #expect(try delay(asked) == 2)
    asked.options.append(.init("low-delay", "false"))
    #expect(try delay(asked) > 40)
    #expect(try delay(settings(options: [live, .init("tune", "film")])) == 2)
    #expect(try delay(settings(options: [live, .init("bframes", "3")])) > 2)
    let (encoder, packets) = try encode(settings(options: [live]), times: Array(0..<30))
    #expect(encoder.track.reorderDepth == 0)
    #expect(packets.map(\.pts) == Array(0..<30))
    #expect(packets.map(\.dts) == Array(0..<30))
  }

  /// Returns the types of the NAL units and checks that their lengths add up.
  private func unitTypes(_ packet: Packet) throws -> [UInt8] {
    var reader = ByteReader(packet.bytes)
    var types: [UInt8] = []
    while !reader.isAtEnd {
      let length = try reader.big(UInt32.self)
      let unit = try reader.take(Int(length))
      types.append(try #require(unit.first) & 31)
    }
    return types
  }

  @Test(arguments: FrameFormat.all.map(\.pixelFormat))
  func `every pixel format is encoded`(format: PixelFormat) throws {
    let (encoder, packets) = try encode(settings(format), times: Array(0..<10))
    #expect(packets.count == 10)
    #expect(packets.first?.flags == .key)
    #expect(packets.compactMap(\.pts).sorted() == Array(0..<10))
    for packet in packets { #expect(try unitTypes(packet).allSatisfy { [1, 5, 6].contains($0) }) }
    var record = ByteReader(encoder.track.extradata)
    #expect(try record.u8() == 1)
    #expect(try Int32(record.u8()) == encoder.track.profile)
    try record.skip(1)
    #expect(try Int32(record.u8()) == encoder.track.level)
    #expect(try record.take(2) == [0xFF, 0xE1])
    let sequence = try record.take(Int(record.big(UInt16.self)))
    #expect(sequence.first == 0x67)
    #expect(try record.u8() == 1)
    let picture = try record.take(Int(record.big(UInt16.self)))
    #expect(picture.first == 0x68)
    let layout = try #require(format.layout)
    let chroma =
      layout.family == .gray
      ? 0 : layout.log2ChromaWidth == 0 ? 3 : layout.log2ChromaHeight == 0 ? 2 : 1
    #expect(try record.u8() == 0xFC | UInt8(chroma))
    #expect(try record.u8() == 0xF8 | UInt8(layout.depth - 8))
  }

  @Test func `decode times increase and never exceed presentation times`() throws {
    let (encoder, packets) = try encode(settings(), times: Array(0..<60))
    #expect(encoder.track.reorderDepth == 2)
    let decoding = packets.compactMap(\.dts)
    #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
    #expect(packets.allSatisfy { ($0.dts ?? .max) <= ($0.pts ?? .min) })
    #expect(packets.contains { $0.pts != $0.dts })
  }

  @Test func `a variable frame rate stays variable`() throws {
    var settings = settings()
    settings.track.timeBase = Rational(1, 90000)
    settings.track.frameRate = Rational(25, 1)
    settings.track.baseFrameRate = Rational(50, 1)
    let times: [Int64] = [900, 2700, 6300, 6301, 20000, 21800, 90000, 91800, 93603, 95400]
    let (encoder, packets) = try encode(settings, times: times)
    #expect(packets.compactMap(\.pts).sorted() == times)
    #expect(encoder.track.timeBase == Rational(1, 90000))
    #expect(packets.allSatisfy { $0.duration == 1 })
    #expect(packets.allSatisfy { ($0.dts ?? .max) <= ($0.pts ?? .min) })
  }

  @Test(arguments: 1...4) func `few frames are complete`(count: Int) throws {
    let (_, packets) = try encode(settings(), times: Array(0..<Int64(count)))
    #expect(packets.count == count)
    let decoding = packets.compactMap(\.dts)
    #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `the same input gives the same bytes`() throws {
    var settings = settings()
    settings.threads = 2
    let first = try encode(settings, times: Array(0..<40)).1.map(\.bytes)
    let second = try encode(settings, times: Array(0..<40)).1.map(\.bytes)
    #expect(first == second)
  }

  @Test func `rate control follows the settings`() throws {
    func size(_ settings: EncoderSettings) throws -> Int {
      try encode(settings, times: Array(0..<50)).1.reduce(0) { $0 + $1.size }
    }
    let fine = try size(settings(quality: 15))
    let coarse = try size(settings(quality: 35))
    #expect(fine > coarse)
    let low = try size(settings(bitRate: 50_000))
    let high = try size(settings(bitRate: 400_000))
    #expect(high > low)
    let lossless = try size(settings(options: [.init("qp", "0")]))
    #expect(lossless > fine)
    let capped = try size(
      settings(
        options: [.init("maxrate", "60000"), .init("bufsize", "60000")], quality: 15))
    #expect(capped < fine)
  }

  @Test func `profile and level are written to the stream`() throws {
    let (encoder, packets) = try encode(
      settings(options: [.init("profile", "baseline"), .init("level", "3.1")]),
      times: Array(0..<10))
    #expect(encoder.track.profile == 66)
    #expect(encoder.track.level == 31)
    #expect(encoder.track.reorderDepth == 0)
    #expect(packets.allSatisfy { $0.pts == $0.dts })
  }

  @Test func `fields are coded if the source has them`() throws {
    var settings = settings()
    settings.track.fieldOrder = .topFirst
    #expect(try X264Encoder(settings: settings).track.fieldOrder == .topFirst)
    settings.options = [.init("interlaced", "off")]
    #expect(try X264Encoder(settings: settings).track.fieldOrder == .progressive)
  }

  @Test func `x264 accepts every option`() throws {
    for schema in EncoderOptions.passed {
      let value: String
      switch schema.type {
      case .bool: value = "true"
      case .int(let range): value = String(min(range.upperBound, max(range.lowerBound, 4)))
      case .number(let range): value = String(min(range.upperBound, 1))
      case .choice(let words): value = words[words.count - 1]
      case .text: value = schema.name == "partitions" ? "all" : "1:1"
      }
      // The buffer model needs a buffer.
      let settings = settings(
        options: [
          .init(schema.name, value), .init("maxrate", "800000"), .init("bufsize", "800000"),
        ], bitRate: 800_000)
      #expect(throws: Never.self, "\(schema.name)=\(value)") {
        _ = try X264Encoder(settings: settings)
      }
    }
  }

  @Test(arguments: [
    ("tune", "flim", "film"), ("tune", "film,grain", "only one"),
    ("preset", "fats", "medium"), ("profile", "main", "yuv422p"),
    ("x264-params", "keyint=abc", "keyint"), ("x264-params", "nonsense=1", "nonsense"),
    ("x264-params", "cqm=/etc/passwd", "flat or jvt"),
    ("x264-params", "cqm=flatter", "flat or jvt"),
    ("x264-params", "zones=0,9,q=20,cqm=/etc/passwd", "flat or jvt"),
    ("x264-params", "stats=x", "stats"), ("x264-params", "no_deterministic", "deterministic"),
    ("maxrate", "1000000", "bufsize"), ("qp", "99", "81"), ("no-such", "1", "no-such"),
    ("deblock", "hard", "deblock"),
  ])
  func `wrong options are explained`(name: String, value: String, word: String) {
    let error = #expect(throws: MediaError.self) {
      _ = try X264Encoder(settings: settings(.yuv422p, options: [.init(name, value)]))
    }
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
  }

  @Test func `options that x264 rejects are quoted`() {
    var odd = settings()
    odd.track.width = 63
    let error = #expect(throws: MediaError.self) { _ = try X264Encoder(settings: odd) }
    #expect(error?.cause?.contains("width") == true)
    #expect(throws: MediaError.self) {
      _ = try X264Encoder(settings: settings(quality: 20, bitRate: 100_000))
    }
    #expect(throws: MediaError.self) { _ = try X264Encoder(settings: settings(.rgb24)) }
  }

  @Test func `another frame format is rejected and the encoder continues`() throws {
    let plain = settings()
    let encoder = try X264Encoder(settings: plain)
    var other = plain
    other.track.width = 32
    let wrong = try #require(picture(other, 0, pts: 0))
    #expect(throws: MediaError.self) { _ = try encoder.send(wrong) }
    let right = try #require(picture(plain, 0, pts: 0))
    _ = try encoder.send(right)
    let back = try #require(picture(plain, 1, pts: 0))
    #expect(throws: MediaError.self) { _ = try encoder.send(back) }
    _ = try encoder.send(nil)
    guard case .value = try encoder.receive() else {
      Issue.record("the picture is lost")
      return
    }
  }
}
