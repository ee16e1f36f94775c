import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Parameter sets of byte streams (Annex B), which a sample entry stores once.
@Suite struct ParameterSetTests {
  /// The units of a codec, without start codes.
  struct Stream: CustomTestStringConvertible, Sendable {
    let codec: String
    /// Types of the sample entry without and with parameter sets in packets.
    let types: (apart: String, within: String)
    let delimiter: [UInt8]
    let sets: [[UInt8]]
    /// A set that replaces the last of `sets`.
    let other: [UInt8]
    let slice: [UInt8]

    var testDescription: String { codec }
  }

  static let streams = [
    Stream(
      codec: "h264", types: ("avc1", "avc3"), delimiter: [0x09, 0xF0],
      sets: [[0x67, 0x42, 0, 0x0A, 0xF8, 0x41, 0xA2], [0x68, 0xCE, 0x38, 0x80]],
      other: [0x68, 0xCE, 0x3C, 0x80], slice: [0x65, 0x88, 0x80]),
    Stream(
      codec: "hevc", types: ("hvc1", "hev1"), delimiter: [0x46, 0x01, 0x50],
      sets: [
        [
          0x40, 0x01, 0x0C, 0x01, 0xFF, 0xFF, 0x04, 0x08, 0, 0, 3, 0, 0x9E, 0x08, 0, 0, 3, 0, 0,
          0x1E, 0x95, 0x98, 0x09,
        ],
        [
          0x42, 0x01, 0x01, 0x04, 0x08, 0, 0, 3, 0, 0x9E, 0x08, 0, 0, 3, 0, 0, 0x1E, 0x90, 0x02,
          0xA4, 0x0C, 0x39, 0xE7, 0xCB, 0x2B, 0x34, 0x92, 0x65, 0x78, 0x0B, 0x70, 0x20, 0x20, 0,
          0x40, 0, 3, 0, 0x40, 0, 0, 6, 0x42,
        ],
        [0x44, 0x01, 0xC1, 0x72, 0x86, 0x0C, 0x46, 0x24],
      ], other: [0x44, 0x01, 0xC1, 0x72, 0x86, 0x0C, 0x46, 0x26], slice: [0x28, 0x01, 0xAF, 0x80]),
  ]

  /// Returns packets of these units as they are read from a file of the muxer, and the track.
  private func stored(
    _ stream: Stream, _ packets: [[[UInt8]]], extradata: [UInt8] = [],
    options: [PluginOption] = []
  ) throws -> (TrackDescription, [[[UInt8]]]) {
    var movie = SyntheticMovie(pictures: 0, sounds: 0)
    movie.media.tracks = [movie.media.tracks[0]]
    movie.media.tracks[0].codec = stream.codec
    movie.media.tracks[0].extradata = extradata
    movie.packets = packets.enumerated().map { number, units in
      let time = Int64(number) * 512
      return Packet(
        track: 0, pts: time, dts: time, duration: 512, flags: .key,
        payload: .bytes(MediaBuffer(Self.byteStream(units))))
    }
    let (media, read) = try ISOMediaTests.packets(of: movie.file(options: options))
    let track = try #require(media.tracks.first)
    return (track, read.map { Self.units($0.1) })
  }

  private static func byteStream(_ units: [[UInt8]]) -> [UInt8] {
    units.flatMap { [0, 0, 0, 1] + $0 }
  }

  /// Returns the units of a packet whose lengths have four bytes.
  private static func units(_ bytes: [UInt8]) -> [[UInt8]] {
    var rest = bytes[...]
    var units: [[UInt8]] = []
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      units.append(Array(rest.dropFirst(4).prefix(length)))
      rest = rest.dropFirst(4 + length)
    }
    return units
  }

  @Test(arguments: streams, [false, true])
  func `sets of the record are not repeated in packets`(_ stream: Stream, hasExtradata: Bool) throws
  {
    let packet = [stream.delimiter] + stream.sets + [stream.slice]
    let (track, packets) = try stored(
      stream, [packet, packet, [stream.slice]],
      extradata: hasExtradata ? Self.byteStream(stream.sets) : [])
    #expect(track.codecTag == FourCC(stream.types.apart).tag)
    // ISO/IEC 14496-15 allows access unit delimiters.
    let without = [stream.delimiter, stream.slice]
    #expect(packets == [without, without, [stream.slice]])
  }

  @Test(arguments: streams, ["", "0.01"])
  func `sets that the record lacks stay in packets`(_ stream: Stream, interval: String) throws {
    let first = stream.sets + [stream.slice]
    let changed = stream.sets.dropLast() + [stream.other, stream.slice]
    let (track, packets) = try stored(
      stream, [first, Array(changed), first],
      options: interval.isEmpty ? [] : [PluginOption("fragment-interval", interval)])
    #expect(track.codecTag == FourCC(stream.types.within).tag)
    // The third packet restores the set that the second replaced.
    #expect(packets == [[stream.slice], Array(changed), first])
    guard stream.codec == "hevc" else { return }
    #expect(try HEVCConfiguration(track.extradata).arrays.allSatisfy { !$0.isComplete })
  }

  @Test(arguments: streams)
  func `a packet of nothing but sets is kept`(_ stream: Stream) throws {
    let (_, packets) = try stored(stream, [stream.sets + [stream.slice], stream.sets])
    #expect(packets == [[stream.slice], stream.sets])
  }
}
