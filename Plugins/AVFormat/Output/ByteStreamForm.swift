import RespoolPlugin

/// The form that video has in a stream: parameter sets and headers in front of each frame at which decoding can start.
///
/// Files store them apart, and libavformat adds them only to IDR pictures.
struct ByteStreamForm {
  private enum Kind {
    /// NAL units with start codes, of which sets of parameters have the types.
    case units(lengthSize: Int, isParameterSet: (UInt8) -> Bool, isDelimiter: (UInt8) -> Bool)
    /// Headers of MPEG video, which begin with start codes of these values.
    case headers(ClosedRange<UInt8>)
  }

  private let kind: Kind
  /// Parameter sets or headers with start codes.
  private let configuration: [UInt8]

  private static let startCode: [UInt8] = [0, 0, 0, 1]

  /// Creates the form of a track; `nil` if packets stay as they are.
  init?(_ track: TrackDescription) throws(MediaError) {
    let record = track.extradata
    switch track.codec {
    case "h264" where record.first == 1:
      let parsed = try AVCConfiguration(record)
      kind = .units(
        lengthSize: parsed.lengthSize, isParameterSet: { $0 & 31 == 7 },
        isDelimiter: { $0 & 31 == 9 })
      configuration = parsed.byteStream
    case "hevc" where !record.isEmpty && !AnnexB.isByteStream(record):
      let parsed = try HEVCConfiguration(record)
      kind = .units(
        lengthSize: parsed.lengthSize, isParameterSet: { $0 >> 1 & 63 == 33 },
        isDelimiter: { $0 >> 1 & 63 == 35 })
      configuration = parsed.arrays.flatMap(\.units).flatMap { Self.startCode + $0 }
    // Video object layers (ISO/IEC 14496-2 6.2.1), sequence headers (ISO/IEC 13818-2 6.2.1).
    case "mpeg4" where !record.isEmpty: (kind, configuration) = (.headers(0x20...0x2F), record)
    case "mpeg2video" where !record.isEmpty, "mpeg1video" where !record.isEmpty:
      (kind, configuration) = (.headers(0xB3...0xB3), record)
    default: return nil
    }
  }

  /// Returns a packet in the form of a stream.
  func bytes(_ packet: UnsafeRawBufferPointer, isKey: Bool) throws(MediaError) -> [UInt8] {
    switch kind {
    case .headers(let codes):
      let hasHeader = zip(packet.indices, packet.dropFirst(3)).contains { index, code in
        codes.contains(code) && packet[index] == 0 && packet[index + 1] == 0
          && packet[index + 2] == 1
      }
      return (isKey && !hasHeader ? configuration : []) + Array(packet)
    case .units(let lengthSize, let isParameterSet, let isDelimiter):
      let units = try Self.units(packet, lengthSize)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(packet.count + configuration.count + 64)
      let needsSets = isKey && !units.contains { isParameterSet(packet[$0.lowerBound]) }
      var hasSets = !needsSets
      for unit in units {
        if !hasSets, !isDelimiter(packet[unit.lowerBound]) {
          bytes += configuration
          hasSets = true
        }
        bytes += Self.startCode
        bytes.append(contentsOf: packet[unit])
      }
      return bytes
    }
  }

  /// Returns the ranges of NAL units after their lengths (ISO/IEC 14496-15 5.3.2).
  private static func units(_ packet: UnsafeRawBufferPointer, _ lengthSize: Int) throws(MediaError)
    -> [Range<Int>]
  {
    var (units, place): ([Range<Int>], Int) = ([], 0)
    while place < packet.count {
      guard packet.count - place >= lengthSize else {
        throw MediaError(.malformed, "a packet ends within the length of a NAL unit")
      }
      let length = packet[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      place += lengthSize
      guard length <= packet.count - place else {
        throw MediaError(
          .malformed,
          "a NAL unit of \(length) bytes in a packet with \(packet.count - place) bytes left")
      }
      if length > 0 { units.append(place..<place + length) }
      place += length
    }
    return units
  }
}
