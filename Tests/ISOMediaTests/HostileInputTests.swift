import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Damaged files end in an error or in packets, never in a trap or an endless loop.
@Suite struct HostileInputTests {
  /// SplitMix64, which returns the same numbers in every run.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// Reads all packets, up to a maximum number of packets and failures, and returns the number of packets.
  private func read(_ bytes: [UInt8]) -> Int {
    let file = MemoryFile(bytes)
    guard let demuxer = try? ISOMediaDemuxer(source: file.byteSource, settings: .init()) else {
      return 0
    }
    var count = 0
    var failures = 0
    while count < 1_000_000, failures < 1000 {
      do {
        guard let packet = try demuxer.read() else { break }
        if case .range(let offset, let length) = packet.payload {
          #expect(offset >= 0 && length > 0 && offset + length <= Int64(bytes.count))
        }
        count += 1
      } catch { failures += 1 }
    }
    #expect(failures < 1000)
    for track in demuxer.media.tracks.indices { try? demuxer.seek(track: track, to: 5000) }
    _ = try? demuxer.read()
    return count
  }

  @Test func `changed bytes never trap`() throws {
    let whole = try SyntheticMovie(pictures: 12, sounds: 12).file().bytes
    var generator = Generator(state: 7)
    let interesting: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = interesting.randomElement(using: &generator) ?? 0
      }
      _ = read(bytes)
    }
  }

  @Test func `changed fragments never trap`() throws {
    let whole = FragmentedMovie.bytes()
    #expect(read(whole) == 6)
    var generator = Generator(state: 11)
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = read(bytes)
    }
  }

  @Test func `every truncated file ends`() throws {
    let whole = try SyntheticMovie(pictures: 6, sounds: 6).file().bytes
    for count in 0..<whole.count { _ = read(Array(whole[..<count])) }
  }

  @Test func `a sample outside of the file is an error and the other tracks continue`() throws {
    let file = try SyntheticMovie().file()
    file.bytes.removeLast(200)
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    var failures = 0
    var count = 0
    while true {
      do {
        guard try demuxer.read() != nil else { break }
        count += 1
      } catch { failures += 1 }
    }
    #expect((1...3).contains(failures))
    #expect(count > 60)
  }

  /// Returns the offsets of the boxes of a type.
  private func boxes(_ type: String, in bytes: [UInt8]) -> [Int] {
    let code = Array(type.utf8)
    return (4..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == code }.map { $0 - 4 }
  }

  @Test(arguments: [[0x7F, 0xFF, 0xFF, 0xFF], [0, 1, 0, 0]] as [[UInt8]])
  func `a sample with an impossible size is ignored with the rest of its chunk`(
    size: [UInt8]
  ) throws {
    let file = try SyntheticMovie().file()
    let whole = try packets(of: file).1.map { "\($0.0.track) \($0.0.pts ?? -1) \($0.1)" }
    let table = try #require(boxes("stsz", in: file.bytes).first)
    // Overwrites the sixth size. The sizes follow the header, version, constant size and count.
    file.bytes.replaceSubrange((table + 20 + 20)..<(table + 20 + 24), with: size)
    let demuxer = try ISOMediaDemuxer(source: file.byteSource, settings: .init())
    var failures: [String] = []
    var read: [String] = []
    while true {
      do throws(MediaError) {
        guard let packet = try demuxer.read() else { break }
        guard case .range(let offset, let length) = packet.payload else { continue }
        let bytes = Array(file.bytes[Int(offset)..<Int(offset + length)])
        read.append("\(packet.track) \(packet.pts ?? -1) \(bytes)")
      } catch { failures.append(error.message) }
    }
    #expect(failures.count == 1)
    #expect(failures.allSatisfy { $0.contains("left out") }, "\(failures)")
    #expect(Set(read).isSubset(of: whole))
    // The sixth and later frames of its chunk are missing. The 30 frames are in chunks of half a second.
    let count = read.count { $0.hasPrefix("0 ") }
    #expect((20..<30).contains(count), "\(count)")
    #expect(read.count { $0.hasPrefix("1 ") } == 48)
    #expect((demuxer.media.tracks[0].bitRate) < 100_000)
  }

  @Test(arguments: [["hdlr"], ["hdlr", "vmhd", "smhd"]])
  func `the kind of a track without a handler follows from its other boxes`(missing: [String])
    throws
  {
    let file = try SyntheticMovie().file()
    let whole = try packets(of: file)
    for type in missing {
      for place in boxes(type, in: file.bytes) {
        file.bytes.replaceSubrange((place + 4)..<(place + 8), with: Array("free".utf8))
      }
    }
    let read = try packets(of: file)
    #expect(read.0.tracks.prefix(2).map(\.kind) == [.video, .audio])
    #expect(read.0.tracks.prefix(2).map(\.codec) == ["mpeg4", "aac"])
    #expect(read.1.map(\.1) == whole.1.map(\.1))
  }

  @Test func `an endless edit does not overflow`() {
    var index = SampleIndex()
    index.samples = (0..<10).map {
      IndexedSample(
        offset: 0, decodeTime: Int64($0) * 10, compositionOffset: .max, size: 1, isKey: true)
    }
    index.hasCompositionOffsets = true
    let edits = [
      MediaEdit(duration: .max, mediaStart: nil), MediaEdit(duration: .max, mediaStart: .min),
      MediaEdit(duration: .max, mediaStart: .max), MediaEdit(duration: -5, mediaStart: 3),
    ]
    let line = EditedTimeline(index, edits: edits, kind: .video, oneSecond: 100)
    #expect(line.segments.allSatisfy { !$0.samples.isEmpty })
    for rate in [Rational(.max, 65536), Rational(1, 65536), Rational(0, 1), Rational(.max, 1)] {
      let paced = edits.map {
        MediaEdit(duration: $0.duration, mediaStart: $0.mediaStart, rate: rate)
      }
      for kind in [TrackDescription.Kind.video, .audio, .subtitle] {
        let line = EditedTimeline(index, edits: paced, kind: kind, oneSecond: 100)
        for part in line.segments {
          #expect(part.pace.time(.max) >= part.pace.time(.min))
          #expect(part.pace.length(.max) >= 0)
        }
      }
    }
  }

  @Test func `a file without a movie box states what is there`() throws {
    func message(_ bytes: [UInt8]) throws -> String {
      let file = MemoryFile(bytes, name: "film.mov")
      return try #require(throws: MediaError.self) {
        _ = try ISOMediaDemuxer(source: file.byteSource, settings: DemuxerSettings())
      }.message
    }
    let type: [UInt8] = [0, 0, 0, 16] + Array("ftypqt  ".utf8) + [0, 0, 0, 0]
    func media(_ size: UInt8, _ count: Int) -> [UInt8] {
      type + [0, 0, 0, size] + Array("mdat".utf8) + [UInt8](repeating: 7, count: count - 8)
    }
    #expect(try message(type).contains("no media (mdat)"))
    #expect(try message(media(200, 100)).contains("declares 200 bytes, but 100 are present"))
    // A size of 0 reaches to the end of the file.
    for size: UInt8 in [100, 0] {
      #expect(try message(media(size, 100)).contains("but 100 bytes of media (mdat)"))
      #expect(try message(media(size, 100)).contains("still being written"))
    }
  }

  @Test func `times at the limit do not overflow`() {
    var index = SampleIndex()
    index.samples = [Int64.min, .max].map {
      IndexedSample(
        offset: 0, decodeTime: $0, compositionOffset: .max, size: .max, isKey: true)
    }
    #expect(index.compositionTime(1) == .max)
    #expect(index.duration(0) == .max)
    #expect(index.samples[0].size == IndexedSample.largestSize)
  }
}
