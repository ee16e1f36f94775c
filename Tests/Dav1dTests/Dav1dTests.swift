import PluginHost
import RespoolPlugin
import Testing

@testable import Dav1d
@testable import SVTAV1

@Suite struct Dav1dTests {
  private func encode(
    _ format: PixelFormat = .yuv420p, count: Int = 24, options: [PluginOption] = []
  ) throws -> (TrackDescription, [Packet]) {
    var track = TrackDescription(kind: .video, codec: "av1", timeBase: Rational(1, 25))
    (track.width, track.height) = (96, 80)
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    var settings = EncoderSettings(
      track: track, quality: 20, options: [.init("preset", "12")] + options)
    settings.keyFrameInterval = 12
    let encoder = try SVTAV1Encoder(settings: settings)
    let frames = try (0..<count).map { index in
      try #require(Frame.gradient(track, index, pts: Int64(index)))
    }
    let packets = try Coding.encode(frames, with: encoder)
    return (encoder.track, packets)
  }

  private func decode(
    _ track: TrackDescription, _ packets: [Packet], threads: Int = 1, options: [PluginOption] = []
  ) throws -> [Frame] {
    let settings = DecoderSettings(track: track, threads: threads, options: options)
    return try Coding.decode(packets, with: Dav1dDecoder(settings: settings))
  }

  /// Returns the rows of all planes without padding.
  private func pixels(_ frame: Frame) throws -> [UInt8] {
    let layout = try #require(frame.pixelFormat.layout)
    return (0..<layout.planeCount).flatMap { plane in
      (0..<layout.height(ofPlane: plane, for: frame.height)).flatMap { row in
        UnsafeRawBufferPointer(
          start: frame.planes[plane].base + row * frame.planes[plane].stride,
          count: layout.rowBytes(ofPlane: plane, for: frame.width))
      }
    }
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `threads do not change frames`(format: PixelFormat) throws {
    let (track, packets) = try encode(format)
    let single = try decode(track, packets)
    let several = try decode(track, packets, threads: 5)
    #expect(single.compactMap(\.pts) == Array(0..<24))
    #expect(several.compactMap(\.pts) == Array(0..<24))
    #expect(try single.map(pixels) == several.map(pixels))
    #expect(single.allSatisfy { $0.pixelFormat == format && $0.duration == 1 })
    #expect(single.filter { $0.flags.contains(.key) }.compactMap(\.pts) == [0, 12])
  }

  @Test func `the sequence header of the configuration record suffices`() throws {
    let (track, packets) = try encode()
    let size = track.extradata.count - 4
    let bare = packets.map { packet in
      var packet = packet
      if packet.bytes.starts(with: track.extradata.dropFirst(4)) {
        packet.payload = .bytes(MediaBuffer(packet.bytes.dropFirst(size)))
      }
      return packet
    }
    #expect(bare[0].size < packets[0].size)
    let whole = try decode(track, packets)
    #expect(try decode(track, bare).map(pixels) == whole.map(pixels))
  }

  @Test func `film grain is an option`() throws {
    let (track, packets) = try encode(options: [.init("film-grain", "30")])
    let grain = try decode(track, packets).map(pixels)
    let plain = try decode(track, packets, options: [.init("film-grain", "false")]).map(pixels)
    #expect(grain != plain)
  }

  @Test func `a decoder can be used again after a flush`() throws {
    let (track, packets) = try encode()
    let decoder = try Dav1dDecoder(settings: DecoderSettings(track: track, threads: 3))
    for packet in packets.prefix(5) { _ = try decoder.send(packet) }
    decoder.flush()
    let first = try Coding.decode(packets, with: decoder)
    #expect(first.compactMap(\.pts) == Array(0..<24))
    decoder.flush()
    let later = try Coding.decode(packets.suffix(12), with: decoder)
    #expect(later.compactMap(\.pts) == Array(12..<24))
  }

  @Test func `frames outlive their decoder`() throws {
    let (track, packets) = try encode()
    let frames = try decode(track, packets, threads: 3)
    #expect(try pixels(frames[20]) == pixels(try decode(track, packets)[20]))
  }

  @Test func `a damaged packet is reported and later ones are decoded`() throws {
    let (track, packets) = try encode()
    var broken = packets
    var bytes = broken[2].bytes
    for index in bytes.indices where index % 3 == 0 { bytes[index] ^= 0x55 }
    broken[2].payload = .bytes(MediaBuffer(bytes))
    let decoder = try Dav1dDecoder(settings: DecoderSettings(track: track))
    var errors = 0
    var times: [Int64] = []
    for packet in broken.map(Optional.some) + [nil] {
      do { _ = try decoder.send(packet) } catch { errors += 1 }
      receiving: while true {
        do {
          guard case .value(let frame) = try decoder.receive() else { break receiving }
          times.append(frame.pts ?? -1)
        } catch { errors += 1 }
      }
    }
    #expect(errors > 0)
    #expect(times.suffix(12) == Array(12..<24)[...])
  }

  @Test func `cut packets never end the process`() throws {
    let (track, packets) = try encode(count: 6)
    for length in 0..<packets[0].size {
      var packet = packets[0]
      packet.payload = .bytes(MediaBuffer(packet.bytes.prefix(length)))
      let decoder = try Dav1dDecoder(settings: DecoderSettings(track: track))
      // Whether a cut packet is an error depends on the place of the cut.
      _ = try? decoder.send(packet)
      var results = 0
      while results < 10, case .value? = try? decoder.receive() { results += 1 }
      #expect(results <= 1)
    }
  }

  @Test func `other codecs are rejected`() {
    let track = TrackDescription(kind: .video, codec: "vp9", timeBase: Rational(1, 25))
    let error = #expect(throws: MediaError.self) {
      _ = try Dav1dDecoder(settings: DecoderSettings(track: track))
    }
    #expect(error?.code == .unsupported)
  }
}
