import PluginHost
import RespoolPlugin
import Testing

@testable import VideoEncoding
@testable import X265

@Suite struct X265EncoderTests {
  private func settings(
    _ format: PixelFormat = .yuv420p, width: Int = 96, height: Int = 80,
    options: [PluginOption] = [], quality: Double? = nil, bitRate: Int64? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 25))
    (track.width, track.height) = (width, height)
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    return EncoderSettings(track: track, bitRate: bitRate, quality: quality, options: options)
  }

  private func encode(
    _ settings: EncoderSettings, times: [Int64], change: (inout Frame) -> Void = { _ in }
  ) throws -> (X265Encoder, [Packet]) {
    let encoder = try X265Encoder(settings: settings)
    let frames = try times.enumerated().map { index, time in
      var frame = try #require(Frame.gradient(settings.track, index, pts: time))
      change(&frame)
      return frame
    }
    return (encoder, try Coding.encode(frames, with: encoder))
  }

  /// Returns the types of the NAL units, and checks that their lengths add up.
  private func unitTypes(_ packet: Packet) throws -> [UInt8] {
    var reader = ByteReader(packet.bytes)
    var types: [UInt8] = []
    while !reader.isAtEnd {
      let unit = try reader.take(Int(try reader.big(UInt32.self)))
      types.append(try #require(unit.first) >> 1)
    }
    return types
  }

  private static let display = MasteringDisplay(
    red: .init(x: 34000, y: 16000), green: .init(x: 13250, y: 34500),
    blue: .init(x: 7500, y: 3000), whitePoint: .init(x: 15635, y: 16450),
    maximumLuminance: 10_000_000, minimumLuminance: 50)
  private static let level = ContentLightLevel(maximum: 1000, maximumAverage: 400)

  @Test func `the library has builds for 8, 10 and 12 bits`() {
    #expect(Library.bitDepths == [8, 10, 12])
    #expect(X265Encoder.description.longName.contains("with 8, 10, 12 bits"))
  }

  @Test(arguments: FrameFormat.all.map(\.pixelFormat))
  func `every pixel format is encoded`(format: PixelFormat) throws {
    let (encoder, packets) = try encode(settings(format), times: Array(0..<10))
    #expect(packets.count == 10)
    #expect(packets.first?.flags == .key)
    #expect(packets.compactMap(\.pts).sorted() == Array(0..<10))
    for packet in packets { #expect(try unitTypes(packet).allSatisfy { $0 < 32 || $0 == 39 }) }
    let record = try HEVCConfiguration(encoder.track.extradata)
    let layout = try #require(format.layout)
    let chroma =
      layout.family == .gray
      ? 0 : layout.log2ChromaWidth == 0 ? 3 : layout.log2ChromaHeight == 0 ? 2 : 1
    #expect(Int(record.chromaFormat) == chroma)
    #expect(Int(record.lumaBitDepth) == layout.depth)
    #expect(record.arrays.map(\.type) == [32, 33, 34])
    #expect(record.arrays.allSatisfy { $0.isComplete && $0.units.count == 1 })
    #expect(encoder.track.profile == Int32(record.profileTierLevel[0] & 31))
    let sequence = try HEVCSequenceParameters(nalUnit: record.arrays[1].units[0])
    #expect((sequence.width, sequence.height) == (96, 80))
  }

  @Test(arguments: [(16, 16), (18, 34), (34, 20), (62, 64), (66, 130), (130, 66)])
  func `sizes that are no multiples of a block are kept`(width: Int, height: Int) throws {
    let (encoder, packets) = try encode(
      settings(width: width, height: height), times: Array(0..<3))
    #expect(packets.count == 3)
    let record = try HEVCConfiguration(encoder.track.extradata)
    let sequence = try HEVCSequenceParameters(nalUnit: record.arrays[1].units[0])
    #expect((sequence.width, sequence.height) == (width, height))
  }

  @Test(arguments: [
    (PixelFormat.yuv420p, 15, 64), (.yuv420p, 64, 8), (.yuv420p, 65, 64), (.yuv420p, 64, 65),
  ])
  func `impossible sizes are rejected with a reason`(
    format: PixelFormat, width: Int, height: Int
  ) {
    let error = #expect(throws: MediaError.self) {
      _ = try X265Encoder(settings: settings(format, width: width, height: height))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("\(width)x\(height)") == true)
  }

  @Test func `mastering display and light levels are in every key frame`() throws {
    var settings = settings(.yuv420p10le, options: [.init("keyint", "5")])
    settings.track.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
    settings.track.sideData = [
      SideData(.masteringDisplay, Self.display.bytes),
      SideData(.contentLightLevel, Self.level.bytes),
    ]
    let (encoder, packets) = try encode(settings, times: Array(0..<15))
    #expect(encoder.track.sideData == settings.track.sideData)
    for packet in packets {
      let bytes = packet.bytes
      func count(_ part: [UInt8]) -> Int {
        bytes.indices.count { bytes[$0...].starts(with: part) }
      }
      // Emulation prevention inserts bytes into the zeros of the luminance, so only 16 bytes are compared.
      let expected = packet.flags.contains(.key) ? 1 : 0
      #expect(count([0x4E, 1, 137, 24] + Self.display.bytes.prefix(16)) == expected)
      #expect(count([0x4E, 1, 144, 4] + Self.level.bytes) == expected)
    }
    #expect(packets.filter { $0.flags.contains(.key) }.count == 3)
  }

  @Test func `light levels of a frame apply from its key frame on`() throws {
    let (_, packets) = try encode(settings(.yuv420p10le), times: Array(0..<4)) { frame in
      frame.sideData = [SideData(.contentLightLevel, Self.level.bytes)]
    }
    let bytes = packets[0].bytes
    #expect(bytes.indices.contains { bytes[$0...].starts(with: [144, 4] + Self.level.bytes) })
  }

  @Test func `captions and dynamic metadata are written to their frames`() throws {
    let message: [UInt8] = [0xB5, 0, 0x3C, 0, 1, 4] + [UInt8](repeating: 0, count: 300)
    let (_, packets) = try encode(settings(), times: Array(0..<12)) { frame in
      let length = frame.pts == 0 ? 3 : 306
      frame.sideData = [
        SideData(.registeredUserData, Array(message.prefix(length))),
        SideData(.registeredUserData, [0xB5, UInt8(frame.pts ?? 0)]), SideData("none", [1]),
      ]
    }
    for packet in packets {
      let units = packet.bytes
      let index = UInt8(packet.pts ?? 0)
      #expect(
        units.indices.contains { units[$0...].starts(with: [0x4E, 1, 4, 2, 0xB5, index, 0x80]) })
      let head: [UInt8] = index == 0 ? [4, 3, 0xB5] : [4, 255, 51, 0xB5, 0, 0x3C, 0, 1, 4]
      #expect(units.indices.contains { units[$0...].starts(with: head) })
      #expect(try unitTypes(packet).filter { $0 < 32 }.count == 1)
    }
  }

  @Test func `units of Dolby Vision are the last of their frames`() throws {
    var described = settings(.yuv420p10le)
    described.track.sideData = [SideData("dvvC", [1, 0, 0x10, 0x2D, 0x40])]
    let (encoder, packets) = try encode(described, times: Array(0..<12)) { frame in
      frame.sideData = [SideData(.dolbyVisionUnit, [25, 8, UInt8(frame.pts ?? 0) + 1])]
    }
    #expect(encoder.track.sideData["dvvC"] != nil)
    for packet in packets {
      let unit: [UInt8] = [0, 0, 0, 5, 0x7C, 1, 25, 8, UInt8(packet.pts ?? 0) + 1]
      #expect(packet.bytes.suffix(unit.count).elementsEqual(unit))
    }
    // A track that does not state it has none.
    let (_, plain) = try encode(settings(.yuv420p10le), times: [0]) { frame in
      frame.sideData = [SideData(.dolbyVisionUnit, [25, 8, 1])]
    }
    #expect(try !unitTypes(plain[0]).contains(62))
  }

  @Test func `the message with x265's options has nothing of the machine`() throws {
    let (_, packets) = try encode(settings(), times: [0])
    let text = String(decoding: packets[0].bytes, as: UTF8.self)
    #expect(text.contains("x265 (build"))
    #expect(text.contains("rc-lookahead="))
    #expect(!text.contains("cpuid="))
    #expect(!text.contains("numa-pools="))
    let (_, silent) = try encode(settings(options: [.init("info", "false")]), times: [0])
    #expect(!String(decoding: silent[0].bytes, as: UTF8.self).contains("x265"))
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
    settings.track.baseFrameRate = Rational(50, 1)
    let times: [Int64] = [900, 2700, 6300, 6301, 20000, 21800, 90000, 91800, 93603, 95400]
    let (_, packets) = try encode(settings, times: times)
    #expect(packets.compactMap(\.pts).sorted() == times)
    #expect(packets.allSatisfy { ($0.dts ?? .max) <= ($0.pts ?? .min) })
  }

  @Test(arguments: 0...4) func `few frames are complete`(count: Int) throws {
    let (_, packets) = try encode(settings(), times: Array(0..<Int64(count)))
    #expect(packets.count == count)
  }

  @Test func `frames that must be key frames are`() throws {
    let (_, packets) = try encode(settings(), times: Array(0..<40)) { frame in
      if [7, 23].contains(frame.pts) { frame.flags.insert(.mustBeKey) }
    }
    #expect(packets.filter { $0.flags.contains(.key) }.compactMap(\.pts) == [0, 7, 23])
  }

  @Test func `the same input gives the same bytes`() throws {
    var settings = settings()
    settings.threads = 2
    let first = try encode(settings, times: Array(0..<40)).1.map(\.bytes)
    let second = try encode(settings, times: Array(0..<40)).1.map(\.bytes)
    #expect(first == second)
  }

  @Test func `encoders with blocks of different sizes work side by side`() throws {
    let alone = try encode(settings(), times: Array(0..<6)).1.map(\.bytes)
    let large = settings()
    let small = settings(width: 32, height: 32, options: [.init("preset", "ultrafast")])
    let encoder = try X265Encoder(settings: large)
    var packets: [Packet] = []
    for index in 0..<6 {
      _ = try encode(small, times: Array(0..<3))
      let frame = try #require(Frame.gradient(large.track, index, pts: Int64(index)))
      _ = try encoder.send(frame)
      while case .value(let packet) = try encoder.receive() { packets.append(packet) }
    }
    packets += try Coding.encode([Frame](), with: encoder)
    #expect(packets.map(\.bytes) == alone)
  }

  @Test func `rate control follows the settings`() throws {
    func size(_ settings: EncoderSettings) throws -> Int {
      try encode(settings, times: Array(0..<50)).1.reduce(0) { $0 + $1.size }
    }
    let fine = try size(settings(quality: 15))
    #expect(try size(settings(quality: 40)) < fine)
    #expect(try size(settings(bitRate: 50_000)) < size(settings(bitRate: 400_000)))
    #expect(try size(settings(options: [.init("lossless", "true")])) > fine)
    #expect(try size(settings(options: [.init("qp", "45")])) < fine)
    let buffer = [PluginOption("maxrate", "60000"), PluginOption("bufsize", "60000")]
    #expect(try size(settings(options: buffer, quality: 15)) < fine)
  }

  @Test func `low delay holds back few frames`() throws {
    var settings = settings()
    settings.isLowDelay = true
    let encoder = try X265Encoder(settings: settings)
    for index in 0..<3 {
      let frame = try #require(Frame.gradient(settings.track, index, pts: Int64(index)))
      _ = try encoder.send(frame)
    }
    guard case .value = try encoder.receive() else {
      Issue.record("no packet after three frames")
      return
    }
    #expect(encoder.track.reorderDepth == 0)
  }

  @Test(arguments: OptionSchema.speedPresets)
  func `every preset makes a stream`(preset: String) throws {
    let (_, packets) = try encode(settings(options: [.init("preset", preset)]), times: [0, 1])
    #expect(packets.count == 2)
  }

  @Test(arguments: EncoderOptions.tunes)
  func `every tune makes a stream`(tune: String) throws {
    let (_, packets) = try encode(settings(options: [.init("tune", tune)]), times: [0, 1])
    #expect(packets.count == 2)
  }

  @Test func `x265 accepts every option`() throws {
    let texts = [
      "zones": "0,3,q=30", "hme-search": "hex,umh,umh", "hme-range": "16,32,48", "deblock": "1:1",
      "ctu": "32", "min-cu-size": "16", "max-tu-size": "16", "qg-size": "32",
      "log2-max-poc-lsb": "8", "keyint": "4", "max-luma": "235", "min-luma": "16",
      "rc-lookahead": "20", "uhd-bd": "false",
    ]
    for schema in EncoderOptions.passed {
      var value: String
      switch schema.type {
      case .bool: value = "true"
      case .int(let range): value = String(min(range.upperBound, max(range.lowerBound, 1)))
      case .number(let range): value = String(min(range.upperBound, 1))
      case .choice(let words): value = words[words.count - 1]
      case .text: value = ""
      }
      value = texts[schema.name] ?? value
      // The buffer model needs a buffer, asymmetric partitions rectangular ones.
      var options = [
        PluginOption(schema.name, value), .init("maxrate", "800000"), .init("bufsize", "800000"),
      ]
      if schema.name == "amp" { options.append(.init("rect", "true")) }
      #expect(throws: Never.self, "\(schema.name)=\(value)") {
        _ = try X265Encoder(settings: settings(options: options, bitRate: 800_000))
      }
    }
  }

  @Test(arguments: [
    ("tune", "film", "grain"), ("preset", "fats", "medium"), ("profile", "main", "yuv422p"),
    ("x265-params", "keyint=abc", "keyint"), ("x265-params", "nonsense=1", "nonsense"),
    ("x265-params", "scaling-list=/etc/passwd", "off or default"),
    ("x265-params", "stats=x", "stats"), ("x265-params", "analysis-save=x", "analysis-save"),
    ("x265-params", "csv=x", "csv"), ("x265-params", "zonefile=x", "zonefile"),
    ("x265-params", "lambda-file=x", "lambda-file"), ("x265-params", "no-repeat-headers", "repeat"),
    ("maxrate", "1000000", "bufsize"), ("qp", "99", "51"), ("no-such", "1", "no-such"),
  ])
  func `wrong options are explained`(name: String, value: String, word: String) {
    let error = #expect(throws: MediaError.self) {
      _ = try X265Encoder(settings: settings(.yuv422p, options: [.init(name, value)]))
    }
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
  }

  @Test func `formats and rates that are impossible are rejected`() {
    #expect(throws: MediaError.self) {
      _ = try X265Encoder(settings: settings(quality: 20, bitRate: 100_000))
    }
    #expect(throws: MediaError.self) { _ = try X265Encoder(settings: settings(.rgb24)) }
    #expect(throws: MediaError.self) { _ = try X265Encoder(settings: settings(.yuva420p)) }
    #expect(throws: MediaError.self) { _ = try X265Encoder(settings: settings(.yuv420p16le)) }
  }

  @Test func `another frame format is rejected and the encoder continues`() throws {
    let plain = settings()
    let encoder = try X265Encoder(settings: plain)
    var other = plain
    other.track.width = 32
    let wrong = try #require(Frame.gradient(other.track, 0, pts: 0))
    #expect(throws: MediaError.self) { _ = try encoder.send(wrong) }
    let right = try #require(Frame.gradient(plain.track, 0, pts: 0))
    _ = try encoder.send(right)
    let back = try #require(Frame.gradient(plain.track, 1, pts: 0))
    #expect(throws: MediaError.self) { _ = try encoder.send(back) }
    _ = try encoder.send(nil)
    guard case .value = try encoder.receive() else {
      Issue.record("the frame is lost")
      return
    }
  }

  @Test func `color and aspect ratio are in the sequence parameter set`() throws {
    var settings = settings()
    settings.track.sampleAspect = Rational(64, 45)
    settings.track.color = ColorDescription(primaries: 9, transfer: 18, matrix: 9, range: .full)
    settings.track.color.chromaLocation = .topLeft
    let encoder = try X265Encoder(settings: settings)
    var track = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 25))
    track.extradata = encoder.track.extradata
    track.readVideoConfiguration()
    #expect(track.color == settings.track.color)
    #expect(track.pixelFormat == .yuv420p)
    let record = try HEVCConfiguration(encoder.track.extradata)
    let sequence = try HEVCSequenceParameters(
      nalUnit: record.arrays[1].units[0], usability: true)
    #expect(sequence.usability != nil)
  }
}
