import RespoolMedia

/// Check that packets have the framing that the contract states for their codec and its configuration record.
struct PacketFraming {
  let track: TrackDescription
  let packets: [Packet]

  /// Codecs whose packets may have any bytes.
  private var isRaw: Bool { track.codec.hasPrefix("pcm_") || track.codec == "rawvideo" }

  func check() throws(Finding) {
    for (index, packet) in packets.enumerated() {
      guard let problem = problem(packet.bytes, packet.flags) else { continue }
      throw Finding("packet \(index): \(problem)", cause: "packets have another framing")
    }
  }

  /// Returns the number of bytes of lengths before NAL units; `nil` for a byte stream with start codes.
  static func lengthSize(of track: TrackDescription) -> Int? {
    let record = track.extradata
    guard record.first == 1, !AnnexB.isByteStream(record) else { return nil }
    switch track.codec {
    case "h264" where record.count > 4: return Int(record[4] & 3) + 1
    case "hevc" where record.count > 21: return Int(record[21] & 3) + 1
    default: return nil
    }
  }

  private func problem(_ bytes: [UInt8], _ flags: Packet.Flags) -> String? {
    guard let first = bytes.first else { return nil }
    if !isRaw, bytes.starts(with: Array("OggS".utf8)) {
      return "the header of an Ogg page was left in front of \(track.codec)"
    }
    switch track.codec {
    case "h264", "hevc": return unitProblem(bytes)
    case "av1": return openUnitProblem(bytes)
    case "aac": return transportProblem(bytes)
    case "opus":
      let isHeader = ["OpusHead", "OpusTags"].contains { bytes.starts(with: Array($0.utf8)) }
      return isHeader ? "a header of Opus is a packet; it belongs into extradata" : nil
    case "vorbis":
      // Packets of audio begin with a 0 bit, headers with a 1 bit (Vorbis I 4.2.1 and 4.3.1).
      return first & 1 == 1 ? "a header of Vorbis is a packet; it belongs into extradata" : nil
    case "flac":
      return bytes.count > 1 && first == 0xFF && bytes[1] & 0xFE == 0xF8
        ? nil : "the sync code of a FLAC frame, fff8 or fff9, is missing"
    case "mp3", "mp2", "mp1":
      return bytes.count > 1 && first == 0xFF && bytes[1] & 0xE0 == 0xE0
        ? nil : "the sync word of MPEG audio is missing"
    case "vp8":
      let isKey = first & 1 == 0
      return !isKey || bytes.dropFirst(3).starts(with: [0x9D, 1, 0x2A])
        ? nil : "the start code 9d012a of a key frame of VP8 is missing"
    case "vp9": return first >> 6 == 2 ? nil : "the frame marker of VP9 is missing"
    default:
      guard track.codec.hasPrefix("pcm_"), track.blockAlign > 0 else { return nil }
      return bytes.count % track.blockAlign == 0
        ? nil : "its size, \(bytes.count), is no multiple of block_align, \(track.blockAlign)"
    }
  }

  private func unitProblem(_ bytes: [UInt8]) -> String? {
    let record = track.codec == "h264" ? "avcC" : "hvcC"
    guard let size = Self.lengthSize(of: track) else {
      return AnnexB.isByteStream(bytes)
        ? nil : "no start code (Annex B); without \(record), packets are byte streams"
    }
    guard LengthPrefixedUnits(bytes, size) == nil else { return nil }
    return LengthPrefixedUnits.problem(bytes, size, record)
  }

  private func openUnitProblem(_ bytes: [UInt8]) -> String? {
    guard let units = OpenBitstreamUnit.units(in: bytes) else {
      return "its units do not fill it: each must have a size field"
    }
    guard AV1Configuration.isRecord(track.extradata),
      units.contains(where: { $0.type == OpenBitstreamUnit.temporalDelimiter })
    else { return nil }
    return "a temporal delimiter, which packets leave out if there is av1C"
  }

  private func transportProblem(_ bytes: [UInt8]) -> String? {
    let header = try? ADTSHeader(bytes.prefix(9))
    let isTransport = header?.frameLength == bytes.count
    if track.extradata.isEmpty {
      return isTransport
        ? nil : "no ADTS header; without AudioSpecificConfig, each packet must have one"
    }
    guard isTransport else { return nil }
    return "an ADTS header, which packets leave out if there is AudioSpecificConfig"
  }
}

extension Packet {
  /// The payload; empty if it is a range of the source.
  var bytes: [UInt8] { buffer.map { $0.withBytes { Array($0) } } ?? [] }
}
