import RespoolMedia

/// Mastering display and light level in the packets of a bitstream.
struct HighDynamicRangeMessages {
  /// Greatest luminance of the mastering display, in units of 0.0001 cd/m2.
  private(set) var displayLuminance: Double?
  private(set) var light: ContentLightLevel?

  /// Reads SEI messages of H.264 and HEVC, or metadata OBUs of AV1.
  init(_ track: TrackDescription, _ packets: [Packet]) {
    for packet in packets {
      let bytes = packet.bytes
      switch track.codec {
      case "h264":
        for unit in Self.units(bytes, track) where (unit.first ?? 0) & 0x1F == 6 {
          read(messages: AnnexB.rawPayload(unit.dropFirst()))
        }
      case "hevc":
        for unit in Self.units(bytes, track) where (unit.first ?? 0) >> 1 & 0x3F == 39 {
          read(messages: AnnexB.rawPayload(unit.dropFirst(2)))
        }
      case "av1": read(openUnits: bytes[...])
      default: return
      }
    }
    if AV1Configuration.isRecord(track.extradata) { read(openUnits: track.extradata.dropFirst(4)) }
  }

  private static func units(_ bytes: [UInt8], _ track: TrackDescription) -> [ArraySlice<UInt8>] {
    guard let size = PacketFraming.lengthSize(of: track) else {
      return bytes.withUnsafeBytes { AnnexB.units(in: $0) }.map { bytes[$0] }
    }
    return LengthPrefixedUnits(bytes, size)?.units ?? []
  }

  /// `sei_message` (ITU-T H.264 7.3.2.3.1, H.265 7.3.5).
  private mutating func read(messages bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(MediaError) {
      func number() throws(MediaError) -> Int {
        var (sum, byte) = (0, try reader.u8())
        while byte == 0xFF { (sum, byte) = (sum + 255, try reader.u8()) }
        return sum + Int(byte)
      }
      while reader.remaining > 2 {
        let type = try number()
        let size = try number()
        let body = Array(try reader.take(size))
        switch type {
        case 137: displayLuminance = MasteringDisplay(body).map { Double($0.maximumLuminance) }
        case 144: light = ContentLightLevel(body)
        default: break
        }
      }
    } catch {
      // A message that is cut off has no values; what it should have is reported as missing.
    }
  }

  /// `metadata_obu` (AV1 specification 5.8): `hdr_cll` is type 1, `hdr_mdcv` is type 2.
  private mutating func read(openUnits bytes: ArraySlice<UInt8>) {
    for unit in OpenBitstreamUnit.units(in: Array(bytes)) ?? [] where unit.type == 5 {
      let body = Array(unit.payload)
      switch body.first {
      case 1: light = ContentLightLevel(body.dropFirst())
      case 2 where body.count >= 1 + 16 + 4:
        let value = body[17..<21].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // luminance_max is 24.8 fixed point.
        displayLuminance = Double(value) / 256 * 10_000
      default: break
      }
    }
  }
}
