import Glibc
import PluginHost
import RespoolPlugin
import Testing

@testable import Dav1d
@testable import SVTAV1

@Suite struct SVTAV1Tests {
  private func settings(
    _ format: PixelFormat = .yuv420p, width: Int = 96, height: Int = 80,
    options: [PluginOption] = [.init("preset", "12")], quality: Double? = nil,
    bitRate: Int64? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(kind: .video, codec: "av1", timeBase: Rational(1, 25))
    (track.width, track.height) = (width, height)
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    return EncoderSettings(track: track, bitRate: bitRate, quality: quality, options: options)
  }

  private func frames(
    _ settings: EncoderSettings, _ times: [Int64], change: (inout Frame) -> Void = { _ in }
  ) throws -> [Frame] {
    try times.enumerated().map { index, time in
      var frame = try #require(Frame.gradient(settings.track, index, pts: time))
      change(&frame)
      return frame
    }
  }

  private func encode(
    _ settings: EncoderSettings, times: [Int64], change: (inout Frame) -> Void = { _ in }
  ) throws -> (SVTAV1Encoder, [Packet]) {
    let encoder = try SVTAV1Encoder(settings: settings)
    return (
      encoder, try Coding.encode(try frames(settings, times, change: change), with: encoder)
    )
  }

  /// Returns the types of the units, and checks that their sizes add up.
  private func unitTypes(_ packet: Packet) throws -> [UInt8] {
    var reader = ByteReader(packet.bytes)
    var types: [UInt8] = []
    while reader.remaining > 0 {
      let head = try reader.u8()
      types.append(head >> 3 & 15)
      _ = try reader.take(try reader.leb128())
    }
    return types
  }

  @Test func `the version of the library is in the description`() {
    #expect(SVTAV1Encoder.description.longName == "AV1 by SVT-AV1 \(Library.version)")
    #expect(Library.version.first?.isNumber == true)
  }

  @Test(arguments: FrameFormat.all.map(\.pixelFormat))
  func `every pixel format is encoded`(format: PixelFormat) throws {
    let (encoder, packets) = try encode(settings(format), times: Array(0..<20))
    #expect(packets.compactMap(\.pts) == Array(0..<20))
    #expect(packets.allSatisfy { $0.dts == $0.pts })
    #expect(packets.filter { $0.flags.contains(.key) }.count == 1)
    // No temporal delimiters (2), which containers leave out.
    for packet in packets { #expect(try !unitTypes(packet).contains(2)) }
    #expect(try unitTypes(packets[0]).first == 1)
    #expect(packets[0].bytes.starts(with: encoder.track.extradata.dropFirst(4)))
    #expect(AV1Configuration.isRecord(encoder.track.extradata))
    let configuration = try #require(
      try AV1Configuration(units: encoder.track.extradata.dropFirst(4)))
    #expect(Int(configuration.bitDepth) == format.layout?.depth)
    #expect(encoder.track.profile == 0)
  }

  @Test(arguments: [(64, 64), (66, 130), (130, 66), (98, 82)])
  func `sizes that are no multiples of a block are kept`(width: Int, height: Int) throws {
    let settings = settings(width: width, height: height, quality: 10)
    let (encoder, packets) = try encode(settings, times: Array(0..<3))
    let decoder = try Dav1dDecoder(settings: DecoderSettings(track: encoder.track))
    let decoded = try Coding.decode(packets, with: decoder)
    #expect(decoded.map(\.pts) == [0, 1, 2])
    #expect(decoded.allSatisfy { $0.width == width && $0.height == height })
    for (frame, original) in zip(decoded, try frames(settings, [0, 1, 2])) {
      var error = 0
      for row in 0..<height {
        for column in 0..<width {
          let (a, b) = (
            frame.planes[0].base.load(
              fromByteOffset: row * frame.planes[0].stride + column, as: UInt8.self),
            original.planes[0].base.load(
              fromByteOffset: row * original.planes[0].stride + column, as: UInt8.self)
          )
          error += (Int(a) - Int(b)) * (Int(a) - Int(b))
        }
      }
      #expect(Double(error) / Double(width * height) < 400)
    }
  }

  @Test(arguments: [(63, 64), (64, 63), (64, 8706), (65, 64), (64, 65)])
  func `impossible sizes are rejected with a reason`(width: Int, height: Int) {
    let error = #expect(throws: MediaError.self) {
      _ = try SVTAV1Encoder(settings: settings(width: width, height: height))
    }
    #expect(error?.message.contains("\(width)x\(height)") == true)
  }

  @Test func `metadata of high dynamic range reaches a decoder`() throws {
    let display = MasteringDisplay(
      red: .init(x: 34000, y: 16000), green: .init(x: 13250, y: 34500),
      blue: .init(x: 7500, y: 3000), whitePoint: .init(x: 15635, y: 16450),
      maximumLuminance: 10_000_000, minimumLuminance: 50)
    let level = ContentLightLevel(maximum: 1000, maximumAverage: 400)
    var settings = settings(.yuv420p10le)
    settings.track.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
    settings.track.sideData = [
      SideData(.masteringDisplay, display.bytes), SideData(.contentLightLevel, level.bytes),
    ]
    let (encoder, packets) = try encode(settings, times: Array(0..<10))
    var track = encoder.track
    track.color = .unspecified
    let decoder = try Dav1dDecoder(settings: DecoderSettings(track: track))
    let decoded = try Coding.decode(packets, with: decoder)
    #expect(decoded.count == 10)
    for frame in decoded {
      #expect((frame.color.primaries, frame.color.transfer, frame.color.matrix) == (9, 16, 9))
      #expect(frame.sideData[.contentLightLevel] == level.bytes)
      let found = try #require(frame.sideData[.masteringDisplay].flatMap { MasteringDisplay($0) })
      #expect(found.red == display.red && found.whitePoint == display.whitePoint)
      #expect(found.maximumLuminance == display.maximumLuminance)
      #expect(abs(Int(found.minimumLuminance) - Int(display.minimumLuminance)) <= 1)
    }
  }

  @Test func `captions and dynamic metadata are written before the frames that show them`() throws {
    let (_, packets) = try encode(settings(), times: Array(0..<20)) { frame in
      frame.sideData = [SideData(.registeredUserData, [0xB5, 0, 0x3C, UInt8(frame.pts ?? 0)])]
    }
    // Some packets have several frames, of which the last is shown.
    #expect(try packets.contains { try unitTypes($0).count { [3, 6].contains($0) } > 1 })
    for packet in packets {
      // Type 5 with a size, 6 bytes, metadata of type 4, and the trailing bit (AV1 specification 5.8.1).
      let unit: [UInt8] = [0x2A, 6, 4, 0xB5, 0, 0x3C, UInt8(packet.pts ?? 0), 0x80]
      let bytes = packet.bytes
      #expect(bytes.indices.count { bytes[$0...].starts(with: unit) } == 1)
      let types = try unitTypes(packet)
      let last = try #require(types.lastIndex { [3, 6].contains($0) })
      #expect(types[last - 1] == 5)
    }
  }

  @Test(arguments: 0...4) func `few frames are complete`(count: Int) throws {
    let (_, packets) = try encode(settings(), times: Array(0..<Int64(count)))
    #expect(packets.count == count)
  }

  @Test(arguments: [0, 1, 5, 40]) func `an encoder can be closed before its end`(count: Int) throws
  {
    let encoder = try SVTAV1Encoder(settings: settings())
    for frame in try frames(settings(), Array(0..<Int64(count))) { _ = try encoder.send(frame) }
  }

  @Test func `encoders with other sizes and presets work side by side`() throws {
    let alone = try encode(settings(), times: Array(0..<20)).1.map(\.bytes)
    let encoder = try SVTAV1Encoder(settings: settings())
    var packets: [Packet] = []
    for (index, frame) in try frames(settings(), Array(0..<20)).enumerated() {
      if index % 5 == 0 {
        let other = settings(width: 64 + index * 8, options: [.init("preset", "\(8 + index % 6)")])
        _ = try encode(other, times: Array(0..<3))
      }
      _ = try encoder.send(frame)
      while case .value(let packet) = try encoder.receive() { packets.append(packet) }
    }
    packets += try Coding.encode([Frame](), with: encoder)
    #expect(packets.map(\.bytes) == alone)
  }

  @Test func `frames that must be key frames are`() throws {
    let (_, packets) = try encode(settings(), times: Array(0..<40)) { frame in
      if [7, 23].contains(frame.pts) { frame.flags.insert(.mustBeKey) }
    }
    #expect(packets.filter { $0.flags.contains(.key) }.compactMap(\.pts) == [0, 7, 23])
  }

  @Test func `a key frame interval limits the distance of key frames`() throws {
    var settings = settings()
    settings.keyFrameInterval = 8
    let (_, packets) = try encode(settings, times: Array(0..<24))
    #expect(packets.filter { $0.flags.contains(.key) }.compactMap(\.pts) == [0, 8, 16])
  }

  @Test func `every frame can be a key frame`() throws {
    var settings = settings()
    settings.keyFrameInterval = 1
    let (_, packets) = try encode(settings, times: Array(0..<6))
    #expect(packets.filter { $0.flags.contains(.key) }.compactMap(\.pts) == Array(0..<6))
    settings.bitRate = 100_000
    #expect(throws: MediaError.self) { try SVTAV1Encoder.check(settings) }
  }

  @Test func `a variable frame rate stays variable`() throws {
    var settings = settings()
    settings.track.timeBase = Rational(1, 90000)
    settings.track.baseFrameRate = Rational(50, 1)
    let times: [Int64] = [900, 2700, 6300, 6301, 20000, 21800, 90000, 91800, 93603, 95400]
    let (_, packets) = try encode(settings, times: times)
    #expect(packets.compactMap(\.pts) == times)
  }

  @Test func `the number of threads does not change the output`() throws {
    let outputs = try [1, 2, 5].map { threads in
      var settings = settings()
      settings.threads = threads
      return try encode(settings, times: Array(0..<40)).1.map(\.bytes)
    }
    #expect(outputs[0] == outputs[1])
    #expect(outputs[0] == outputs[2])
  }

  @Test func `rate control follows the settings`() throws {
    func size(_ settings: EncoderSettings) throws -> Int {
      try encode(settings, times: Array(0..<50)).1.reduce(0) { $0 + $1.size }
    }
    #expect(try size(settings(quality: 60)) < size(settings(quality: 15)))
    #expect(try size(settings(bitRate: 50_000)) < size(settings(bitRate: 1_000_000)))
  }

  @Test func `SVT-AV1 accepts every option`() throws {
    for schema in EncoderOptions.passed {
      guard case .int(let range) = schema.type else {
        Issue.record("\(schema.name) is no number")
        continue
      }
      let values = ["superres-denom": "9", "qm-min": "2", "hierarchical-levels": "4"]
      let value = values[schema.name] ?? String(min(range.upperBound, max(range.lowerBound, 1)))
      #expect(throws: Never.self, "\(schema.name)=\(value)") {
        try SVTAV1Encoder.check(settings(options: [.init(schema.name, value)]))
      }
    }
  }

  @Test(arguments: [
    ("preset", "14", "13"), ("no-such", "1", "no-such"),
    ("svtav1-params", "nonsense=1", "nonsense"),
    ("svtav1-params", "lp=2", "lp"), ("svtav1-params", "stats=x", "stats"),
    ("rate-control", "cbr", "bit rate"), ("svtav1-params", "tune=99", "SVT-AV1"),
  ])
  func `wrong options are explained`(name: String, value: String, word: String) {
    let error = #expect(throws: MediaError.self) {
      try SVTAV1Encoder.check(settings(options: [.init(name, value)]))
    }
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
  }

  @Test func `formats that are impossible are rejected`() {
    for format in [PixelFormat.yuv444p, .yuv420p12le, .gray, .yuva420p, .rgb24] {
      #expect(throws: MediaError.self) { try SVTAV1Encoder.check(settings(format)) }
    }
  }

  @Test func `another frame format is rejected and the encoder continues`() throws {
    let plain = settings()
    let encoder = try SVTAV1Encoder(settings: plain)
    var other = plain
    other.track.width = 64
    let wrong = try #require(Frame.gradient(other.track, 0, pts: 0))
    #expect(throws: MediaError.self) { _ = try encoder.send(wrong) }
    let packets = try Coding.encode(try frames(plain, [0]), with: encoder)
    #expect(packets.count == 1)
  }

  /// SVT-AV1 1.4 makes the thread of root a real-time one, which can stop others.
  @Test func `an encoder leaves the priority of its thread as it was`() throws {
    var parameters = sched_param()
    var (before, after): (Int32, Int32) = (0, 0)
    try #require(pthread_getschedparam(pthread_self(), &before, &parameters) == 0)
    _ = try SVTAV1Encoder(settings: settings())
    try #require(pthread_getschedparam(pthread_self(), &after, &parameters) == 0)
    #expect(after == before)
  }
}
