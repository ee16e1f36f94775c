import PluginHost
import RespoolPlugin
import Testing

@testable import Matroska

private func frames(_ packets: [Packet]) -> [[UInt8]] {
  packets.map { $0.buffer.map { Array($0.readOnly) } ?? [] }
}

@Suite struct DemuxerTests {
  private func film(_ count: Int = 3, unknown: Bool = false) -> MatroskaFile {
    var file = MatroskaFile(tracks: [MatroskaFile.video()])
    file.hasUnknownSizes = unknown
    for cluster in 0..<count {
      file.clusters.append(
        (
          cluster * 400,
          { writer in
            for frame in 0..<10 {
              writer.binary(
                .simpleBlock,
                MatroskaFile.block(1, frame * 40, key: frame == 0, [UInt8(cluster), UInt8(frame)]))
            }
          }
        ))
    }
    return file
  }

  @Test(arguments: [false, true])
  func `blocks become packets with times and key frames`(unknown: Bool) throws {
    let demuxer = try film(unknown: unknown).open()
    #expect(demuxer.media.tracks[0].codec == "vp8")
    #expect(demuxer.media.tracks[0].frameRate == Rational(25, 1))
    #expect(demuxer.media.tracks[0].width == 64)
    let packets = try demuxer.readAll()
    #expect(packets.map(\.pts) == (0..<30).map { Int64($0) * 40 })
    #expect(packets.map(\.dts) == packets.map(\.pts))
    #expect(packets.allSatisfy { $0.duration == 40 })
    #expect(packets.count { $0.flags.contains(.key) } == 3)
    #expect(frames(packets)[11] == [1, 1])
  }

  @Test func `a file without a stored duration lasts until its last block`() throws {
    let demuxer = try film(unknown: true).open()
    #expect(demuxer.media.duration == 1_200_000_000)
  }

  @Test func `the first timestamp is the start`() throws {
    var file = film(1)
    file.clusters[0].time = 5000
    #expect(try file.open().readAll().first?.pts == 0)
  }

  @Test(
    arguments: [
      (1, [2, 3, 1, 9, 9, 9, 8, 7, 7]), (2, [2, 9, 8, 7]), (3, [2, 0x83, 0xBD, 9, 9, 9, 8, 7, 7]),
    ] as [(UInt8, [UInt8])])
  func `laced frames are separated`(lacing: UInt8, payload: [UInt8]) throws {
    var file = MatroskaFile(tracks: [MatroskaFile.audio(1)])
    file.clusters = [
      (0, { $0.binary(.simpleBlock, MatroskaFile.block(1, 0, lacing: lacing, payload)) })
    ]
    let packets = try file.open().readAll()
    #expect(
      frames(packets) == (lacing == 2 ? [[9], [8], [7]] : [[9, 9, 9], [8], [7, 7]]))
  }

  @Test func `damaged lacing is reported with its place`() throws {
    var file = MatroskaFile(tracks: [MatroskaFile.audio(1)])
    file.clusters = [
      (
        0,
        { writer in
          writer.binary(.simpleBlock, MatroskaFile.block(1, 0, lacing: 1, [2, 200, 1, 9]))
          writer.binary(.simpleBlock, MatroskaFile.block(1, 20, [1, 2]))
        }
      )
    ]
    let demuxer = try file.open()
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.path == "Segment/Cluster/SimpleBlock")
    #expect(error?.offset != nil)
    #expect(try demuxer.readAll().count == 1)
  }

  @Test func `groups have durations, references, padding and additions`() throws {
    var file = MatroskaFile(tracks: [MatroskaFile.video(), MatroskaFile.audio(2)])
    file.clusters = [
      (
        0,
        { writer in
          writer.master(.blockGroup) { group in
            group.binary(.block, MatroskaFile.block(1, 0, key: false, [1]))
            group.unsigned(.blockDuration, 80)
            group.master(.blockAdditions) { additions in
              additions.master(.blockMore) { more in
                more.unsigned(.blockAddID, 1)
                more.binary(.blockAdditional, [5, 6])
              }
            }
          }
          writer.master(.blockGroup) { group in
            group.binary(.block, MatroskaFile.block(1, 80, key: false, [2]))
            group.signed(.referenceBlock, -80)
          }
          writer.master(.blockGroup) { group in
            group.binary(
              .block, MatroskaFile.block(2, 0, key: false, [UInt8](repeating: 0, count: 960)))
            group.signed(.discardPadding, 5_000_000)
          }
        }
      )
    ]
    let packets = try file.open().readAll()
    #expect(packets[0].duration == 80)
    #expect(packets[0].sideData == [5, 6])
    #expect(packets.map { $0.flags.contains(.key) } == [true, false, true])
    #expect(packets[2].duration == 480)
    #expect(packets[2].trimEnd == 240)
  }

  @Test func `stripped headers are restored`() throws {
    var file = MatroskaFile(tracks: [
      MatroskaFile.video(1) { entry in
        entry.master(.contentEncodings) { encodings in
          encodings.master(.contentEncoding) { encoding in
            encoding.master(.contentCompression) { compression in
              compression.unsigned(.contentCompAlgo, 3)
              compression.binary(.contentCompSettings, [0xAA, 0xBB])
            }
          }
        }
      }
    ])
    file.clusters = [(0, { $0.binary(.simpleBlock, MatroskaFile.block(1, 0, [1, 2])) })]
    #expect(try frames(file.open().readAll()) == [[0xAA, 0xBB, 1, 2]])
  }

  @Test func `zlib is inflated and invalid zlib is an error`() throws {
    var file = MatroskaFile(tracks: [
      MatroskaFile.video(1) { entry in
        entry.master(.contentEncodings) { encodings in
          encodings.master(.contentEncoding) { encoding in
            encoding.master(.contentCompression) { $0.unsigned(.contentCompAlgo, 0) }
          }
        }
      }
    ])
    // "hello hello" (RFC 1950).
    let data: [UInt8] = [
      0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x00, 0x91, 0x00, 0x19, 0x91, 0x04,
      0x49,
    ]
    file.clusters = [
      (
        0,
        { writer in
          writer.binary(.simpleBlock, MatroskaFile.block(1, 0, data))
          writer.binary(.simpleBlock, MatroskaFile.block(1, 40, [1, 2, 3]))
        }
      )
    ]
    let demuxer = try file.open()
    #expect(try demuxer.read()?.buffer.map { Array($0.readOnly) } == Array("hello hello".utf8))
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.track == 0)
  }

  @Test func `encrypted tracks are rejected with the reason`() throws {
    var file = MatroskaFile(tracks: [
      MatroskaFile.video(1) { entry in
        entry.master(.contentEncodings) { encodings in
          encodings.master(.contentEncoding) { $0.unsigned(.contentEncodingType, 1) }
        }
      }
    ])
    file.clusters = [(0, { $0.binary(.simpleBlock, MatroskaFile.block(1, 0, [1, 2])) })]
    let demuxer = try file.open()
    let error = #expect(throws: MediaError.self) { try demuxer.read() }
    #expect(error?.message.contains("encrypted") == true)
  }

  @Test func `a codec that another plugin describes better is left to it`() throws {
    let file = MatroskaFile(tracks: [
      { entry in
        entry.unsigned(.trackNumber, 1)
        entry.unsigned(.trackType, 2)
        entry.text(.codecID, "A_REAL/COOK")
      }
    ])
    let error = #expect(throws: MediaError.self) { try file.open() }
    #expect(error?.code == .unsupported)
    #expect(error?.path == "Segment/Tracks/TrackEntry")
  }

  // MARK: Damage

  @Test func `every truncation ends with an error and never with a crash`() throws {
    let whole = film(2).bytes
    for count in stride(from: 1, to: whole.count, by: 3) {
      var errors: [MediaError] = []
      do throws(MediaError) {
        let demuxer = try OpenDemuxer(
          try LoadedPlugin("Matroska"), "matroska",
          MemoryFile(Array(whole.prefix(count)), name: "cut.mkv"))
        while errors.count < 10 {
          do throws(MediaError) {
            guard try demuxer.read() != nil else { break }
          } catch { errors.append(error) }
        }
      } catch { errors.append(error) }
      #expect(errors.count == 1, "cut after \(count) bytes")
      #expect(errors.first?.offset != nil || errors.first?.path != nil)
    }
  }

  @Test func `after damage, reading continues with the next cluster`() throws {
    var bytes = film().bytes
    let second = try #require(
      bytes.indices.filter { bytes[$0...].starts(with: [0x1F, 0x43, 0xB6, 0x75]) }.dropFirst().first
    )
    for index in second + 20..<second + 40 { bytes[index] = 0 }
    let demuxer = try MatroskaFile.open(bytes)
    var packets = 0
    var errors: [MediaError] = []
    while errors.count < 10 {
      do throws(MediaError) {
        guard try demuxer.read() != nil else { break }
        packets += 1
      } catch { errors.append(error) }
    }
    #expect(errors.count == 1)
    #expect(errors.first?.path?.hasPrefix("Segment/Cluster[1]") == true)
    #expect(packets >= 21 && packets < 30)
  }

  @Test func `unknown elements between clusters are not damage`() throws {
    var file = film(1)
    file.front = { $0.binary(ElementID(0x2AD1D3), [1, 2, 3]) }
    #expect(try file.open().readAll().count == 10)
  }

  // MARK: Seeking

  @Test(arguments: [0, 399, 400, 800, 5000]) func `a search finds the key frame`(time: Int64) throws
  {
    let demuxer = try film().open()
    try demuxer.seek(track: 0, to: time)
    let first = try #require(try demuxer.read())
    #expect(first.flags.contains(.key))
    #expect(first.pts == min(time / 400, 2) * 400)
  }
}
