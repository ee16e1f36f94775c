import PluginHost
import RespoolPlugin
import Testing

@testable import VPX

@Suite struct VPXTests {
  private func settings(
    _ codec: String, _ format: PixelFormat = .yuv420p, options: [PluginOption] = [],
    quality: Double? = nil, bitRate: Int64? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height) = (66, 50)
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    track.color = .bt709
    return EncoderSettings(
      track: track, bitRate: bitRate, quality: quality,
      options: options
        + (options.contains { $0.name == "cpu-used" } ? [] : [.init("cpu-used", "5")]))
  }

  /// Returns a smooth frame that moves a little with `index`, or a detailed one if `isBusy`.
  private func picture(
    _ track: TrackDescription, _ index: Int, pts: Int64, isBusy: Bool = false
  ) -> Frame? {
    guard
      let frame = Frame(
        pixelFormat: track.pixelFormat, width: track.width, height: track.height, pts: pts),
      let layout = track.pixelFormat.layout
    else { return nil }
    for plane in 0..<layout.planeCount {
      let columns = layout.width(ofPlane: plane, for: track.width)
      for row in 0..<layout.height(ofPlane: plane, for: track.height) {
        let base = frame.planes[plane].base + row * frame.planes[plane].stride
        for column in 0..<columns {
          let smooth = 40 + (column + index) + row + plane * 30
          let value = (isBusy ? (column + index * 3) * (row + 5) * 7 : smooth) & 255
          if layout.depth > 8 {
            let deep = UInt16(value << (layout.depth - 8))
            base.storeBytes(of: deep, toByteOffset: column * 2, as: UInt16.self)
          } else {
            base.storeBytes(of: UInt8(value), toByteOffset: column, as: UInt8.self)
          }
        }
      }
    }
    return frame
  }

  @Test(arguments: ["vp8", "vp9"])
  func `low delay holds back no frame by default, and gives the same bytes twice`(
    codec: String
  ) throws {
    func delay(_ options: [(String, String)]) throws -> Int {
      let settings = settings(codec, options: options.map { .init($0.0, $0.1) }, quality: 30)
      let encoder = try VPXEncoder(settings: settings)
      for index in 0..<60 {
        let frame = try #require(picture(settings.track, index, pts: Int64(index)))
        _ = try encoder.send(frame)
        if case .value = try encoder.receive() { return index + 1 }
      }
      return .max
    }
    let lag = ("lag-in-frames", "16")
    #expect(try delay([("low-delay", "true")]) == 1)
    let (usual, delayed) = (try delay([]), try delay([("low-delay", "true"), lag]))
    // VP8 in one pass never looks ahead.
    #expect(usual == (codec == "vp8" ? 1 : 25))
    #expect(delayed == (codec == "vp8" ? 1 : 16))
    var live = settings(codec, quality: 30)
    live.isLowDelay = true
    live.options.removeAll { $0.name == "cpu-used" }
    let runs = try (0..<2).map { _ in
      try encode(live, times: Array(0..<20), isBusy: true).1.map {
        $0.buffer.map { Array($0.readOnly) } ?? []
      }
    }
    #expect(runs[0].count == 20)
    #expect(runs[0] == runs[1])
  }

  /// Each macroblock has prediction modes, so that few bytes cannot have a large frame.
  @Test func `a size that does not fit into a key frame of VP8 is rejected`() throws {
    let (encoder, packets) = try encode(settings("vp8", quality: 30), times: [0])
    var bytes = try #require(packets.first).bytes
    bytes.replaceSubrange(6..<10, with: [0x40, 0x34, 0x9E, 0x33])
    let packet = Packet(
      track: 0, pts: 0, dts: 0, duration: 1, flags: .key, payload: .bytes(MediaBuffer(bytes)))
    let error = #expect(throws: MediaError.self) { try decode(encoder.track, [packet]) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("states 13376x13214 pixels") == true, "\(error as Any)")
  }

  /// Frames of one color have the fewest bits for each macroblock.
  @Test(arguments: [(16, 16), (1920, 1080), (4096, 2176)])
  func `key frames of VP8 with one color are decoded`(width: Int, height: Int) throws {
    var settings = settings("vp8", quality: 63)
    (settings.track.width, settings.track.height) = (width, height)
    let encoder = try VPXEncoder(settings: settings)
    let frame = try #require(
      Frame(pixelFormat: .yuv420p, width: width, height: height, pts: 0))
    let layout = try #require(PixelFormat.yuv420p.layout)
    for plane in 0..<3 {
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        let count = layout.width(ofPlane: plane, for: width)
        (frame.planes[plane].base + row * frame.planes[plane].stride)
          .initializeMemory(as: UInt8.self, repeating: 128, count: count)
      }
    }
    let packets = try Coding.encode([frame], with: encoder)
    let header = try #require(
      packets.first.flatMap { packet in
        packet.bytes.withUnsafeBytes { VP8KeyFrameHeader($0) }
      })
    #expect((header.width, header.height) == (width, height))
    #expect(header.modeSize >= header.leastModeSize)
    #expect(header.modeSize < header.leastModeSize * 2 + 32)
    #expect(try decode(encoder.track, packets).count == 1)
  }

  private func encode(
    _ settings: EncoderSettings, times: [Int64], isBusy: Bool = false
  ) throws -> (VPXEncoder, [Packet]) {
    let encoder = try VPXEncoder(settings: settings)
    let frames = try times.enumerated().map { index, time in
      try #require(picture(settings.track, index, pts: time, isBusy: isBusy))
    }
    return (encoder, try Coding.encode(frames, with: encoder))
  }

  private func decode(_ track: TrackDescription, _ packets: [Packet], threads: Int = 1) throws
    -> [Frame]
  {
    try Coding.decode(
      packets, with: VPXDecoder(settings: DecoderSettings(track: track, threads: threads)))
  }

  /// Returns the largest difference of two frames, in steps of 8 bits.
  private func difference(_ a: Frame, _ b: Frame) throws -> Int {
    let layout = try #require(a.pixelFormat.layout)
    var largest = 0
    for plane in 0..<layout.planeCount {
      for row in 0..<layout.height(ofPlane: plane, for: a.height) {
        let left = a.planes[plane].base + row * a.planes[plane].stride
        let right = b.planes[plane].base + row * b.planes[plane].stride
        for column in 0..<layout.width(ofPlane: plane, for: a.width) {
          let (x, y) =
            layout.depth > 8
            ? (
              Int(left.load(fromByteOffset: column * 2, as: UInt16.self)),
              Int(right.load(fromByteOffset: column * 2, as: UInt16.self))
            )
            : (
              Int(left.load(fromByteOffset: column, as: UInt8.self)),
              Int(right.load(fromByteOffset: column, as: UInt8.self))
            )
          largest = max(largest, abs(x - y) >> (layout.depth - 8))
        }
      }
    }
    return largest
  }

  @Test(
    arguments: [("vp8", PixelFormat.yuv420p)] + FrameFormat.all.map { ("vp9", $0.pixelFormat) })
  func `encoded frames round-trip`(codec: String, format: PixelFormat) throws {
    let times: [Int64] = Array(0..<12)
    let settings = settings(codec, format, quality: 5)
    let (encoder, packets) = try encode(settings, times: times)
    #expect(packets.first?.flags.contains(.key) == true)
    let frames = try decode(encoder.track, packets)
    #expect(frames.map(\.pts) == times)
    for (index, frame) in frames.enumerated() {
      #expect(frame.pixelFormat == format)
      #expect((frame.width, frame.height) == (66, 50))
      let original = try #require(picture(settings.track, index, pts: 0))
      #expect(try difference(original, frame) <= 12)
    }
    if codec == "vp9" {
      #expect(frames.first?.color.matrix == 1)
      #expect(frames.first?.color.range == .limited)
    }
  }

  @Test func `lossless encoding is exact`() throws {
    let settings = settings("vp9", .yuv420p10le, options: [.init("lossless", "true")], quality: 0)
    let (encoder, packets) = try encode(settings, times: Array(0..<5))
    let frames = try decode(encoder.track, packets)
    #expect(frames.count == 5)
    for (index, frame) in frames.enumerated() {
      let original = try #require(picture(settings.track, index, pts: 0))
      #expect(try difference(original, frame) == 0)
    }
  }

  @Test(arguments: ["vp8", "vp9"]) func `a variable frame rate stays variable`(codec: String) throws
  {
    var settings = settings(codec, quality: 40)
    settings.track.timeBase = Rational(1, 90000)
    settings.track.baseFrameRate = Rational(50, 1)
    let times: [Int64] = [900, 2700, 6300, 6301, 20000, 21800, 90000, 91800, 93603, 95400]
    let (encoder, packets) = try encode(settings, times: times)
    let frames = try decode(encoder.track, packets)
    #expect(frames.map(\.pts) == times)
    let decoding = packets.compactMap(\.dts)
    #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(arguments: ["vp8", "vp9"]) func `frames that are only references are not shown`(
    codec: String
  )
    throws
  {
    let settings = settings(
      codec, options: [.init("auto-alt-ref", "1"), .init("lag-in-frames", "16")], quality: 20)
    let times: [Int64] = (0..<40).map { $0 * 2 }
    let (encoder, packets) = try encode(settings, times: times)
    #expect(try decode(encoder.track, packets).map(\.pts) == times)
  }

  @Test(arguments: ["vp8", "vp9"]) func `the same input gives the same bytes`(codec: String) throws
  {
    var settings = settings(codec, bitRate: 100_000)
    settings.threads = 2
    let first = try encode(settings, times: Array(0..<30)).1.map(\.bytes)
    let second = try encode(settings, times: Array(0..<30)).1.map(\.bytes)
    #expect(first == second)
  }

  @Test(arguments: ["vp8", "vp9"])
  func `with two or more threads the bytes do not depend on their number`(codec: String)
    throws
  {
    var settings = settings(codec, options: [.init("cpu-used", "1")], quality: 30)
    (settings.track.width, settings.track.height) = (640, 320)
    settings.threads = 2
    let first = try encode(settings, times: Array(0..<8), isBusy: true).1.map(\.bytes)
    settings.threads = 4
    let second = try encode(settings, times: Array(0..<8), isBusy: true).1.map(\.bytes)
    #expect(first == second)
  }

  @Test(arguments: ["vp8", "vp9"]) func `rate control follows the settings`(codec: String) throws {
    func size(_ settings: EncoderSettings) throws -> Int {
      try encode(settings, times: Array(0..<40), isBusy: true).1.reduce(0) { $0 + $1.size }
    }
    #expect(try size(settings(codec, quality: 10)) > size(settings(codec, quality: 50)))
    let low = try size(settings(codec, bitRate: 20_000))
    let high = try size(settings(codec, bitRate: 400_000))
    #expect(high > low)
    let constant = settings(codec, options: [.init("rate-control", "cbr")], bitRate: 50_000)
    #expect(try encode(constant, times: Array(0..<20)).1.count == 20)
  }

  @Test func `the configuration record states profile, level and color`() throws {
    let deep = try VPXEncoder(settings: settings("vp9", .yuv422p10le))
    #expect(deep.track.extradata == [3, 10, 0xA4, 1, 1, 1, 0, 0])
    #expect(deep.track.profile == 3)
    let plain = try VPXEncoder(settings: settings("vp9"))
    #expect(plain.track.extradata == [0, 10, 0x82, 1, 1, 1, 0, 0])
    #expect(try VPXEncoder(settings: settings("vp8")).track.extradata.isEmpty)
    #expect(VP9Level.lowest(width: 1280, height: 720, frameRate: 30) == 31)
    #expect(VP9Level.lowest(width: 1920, height: 1080, frameRate: 60) == 41)
  }

  @Test func `libvpx accepts every option`() throws {
    for control in EncoderOptions.controls {
      for codec in control.codecs {
        let value: String
        switch control.schema.type {
        case .choice(let words): value = words[words.count - 1]
        case .int(let range):
          value = String(
            min(
              range.upperBound,
              max(range.lowerBound, control.schema.name.hasSuffix("interval") ? 4 : 1)))
        default: value = "true"
        }
        let settings = settings(codec, options: [.init(control.schema.name, value)])
        #expect(throws: Never.self, "\(codec) \(control.schema.name)=\(value)") {
          _ = try VPXEncoder(settings: settings)
        }
      }
    }
  }

  @Test(arguments: [
    ("vp9", "deadline", "soon", "realtime"), ("vp9", "cpu-used", "12", "-9"),
    ("vp9", "cpu-used", "x", "-16"), ("vp8", "row-mt", "false", "vp8"),
    ("vp9", "min-q", "40", "quality"), ("vp9", "rate-control", "cbr", "bit rate"),
    ("vp8", "no-such", "1", "no-such"), ("vp9", "bufsize", "1000", "bit rate"),
  ])
  func `wrong options are explained`(codec: String, name: String, value: String, word: String) {
    let settings = settings(codec, options: [.init(name, value)], quality: 30)
    let error = #expect(throws: MediaError.self) { _ = try VPXEncoder(settings: settings) }
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
  }

  @Test func `formats that the codec does not support are rejected`() {
    #expect(throws: MediaError.self) { _ = try VPXEncoder(settings: settings("vp8", .yuv444p)) }
    #expect(throws: MediaError.self) { _ = try VPXEncoder(settings: settings("vp9", .rgb24)) }
    #expect(throws: MediaError.self) { _ = try VPXEncoder(settings: settings("av1")) }
  }

  @Test(arguments: ["vp8", "vp9"]) func `damaged packets are an error and decoding continues`(
    codec: String
  )
    throws
  {
    let (encoder, packets) = try encode(settings(codec), times: Array(0..<6))
    let decoder = try VPXDecoder(settings: DecoderSettings(track: encoder.track))
    var broken = packets[0]
    broken.payload = .bytes(MediaBuffer([UInt8](repeating: 0xFF, count: 40)))
    #expect(throws: MediaError.self) { _ = try decoder.send(broken) }
    var shown = 0
    for packet in packets {
      _ = try decoder.send(packet)
      while case .value = try decoder.receive() { shown += 1 }
    }
    #expect(shown == 6)
  }

  @Test(arguments: ["vp8", "vp9"]) func `a decoder can be used again after a flush`(codec: String)
    throws
  {
    let (encoder, packets) = try encode(settings(codec), times: Array(0..<6))
    let decoder = try VPXDecoder(settings: DecoderSettings(track: encoder.track))
    for _ in 0..<2 {
      var times: [Int64?] = []
      for packet in packets {
        _ = try decoder.send(packet)
        while case .value(let frame) = try decoder.receive() { times.append(frame.pts) }
      }
      _ = try decoder.send(nil)
      #expect(times == Array(0..<6))
      decoder.flush()
    }
  }

  @Test func `frames outlive their decoder`() throws {
    let settings = settings("vp9", options: [.init("lossless", "true")], quality: 0)
    let (encoder, packets) = try encode(settings, times: Array(0..<20))
    // `decode` releases its decoder before the frames are compared.
    let frames = try decode(encoder.track, packets, threads: 2)
    for (index, frame) in frames.enumerated() {
      let original = try #require(picture(settings.track, index, pts: 0))
      #expect(try difference(original, frame) == 0)
    }
  }
}
