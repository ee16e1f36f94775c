/// HEVCDecoderConfigurationRecord, `hvcC` (ISO/IEC 14496-15 8.3.3.1).
public struct HEVCConfiguration: Hashable, Sendable {
  /// Twelve bytes: space, tier, profile, compatibility, constraints and level.
  public var profileTierLevel: [UInt8]
  /// 12 bits.
  public var minimumSpatialSegmentation: UInt16 = 0
  /// 2 bits; 0 unknown or mixed.
  public var parallelism: UInt8 = 0
  public var chromaFormat: UInt8
  public var lumaBitDepth: UInt8
  public var chromaBitDepth: UInt8
  /// In frames per 256 seconds; 0 not stated.
  public var averageFrameRate: UInt16 = 0
  /// 2 bits; 1: constant.
  public var constantFrameRate: UInt8 = 0
  public var temporalLayers: UInt8
  public var isTemporalIDNested: Bool
  /// Bytes of the length in front of each NAL unit: 1, 2 or 4.
  public var lengthSize = 4
  public var arrays: [Array]

  /// NAL units of one type.
  public struct Array: Hashable, Sendable {
    /// No others of this type are in the stream.
    public var isComplete: Bool
    /// 32 video, 33 sequence, 34 picture parameter sets, 39 and 40 SEI.
    public var type: UInt8
    public var units: [[UInt8]]
  }

  /// Parses the record.
  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Swift.Array(bytes))
    let version = try reader.u8()
    // Files written before the standard was final have 0.
    guard version <= 1 else {
      throw MediaError(.malformed, "hvcC has version \(version); it must be 1", path: "hvcC")
    }
    profileTierLevel = Swift.Array(try reader.take(12))
    minimumSpatialSegmentation = try reader.big(UInt16.self) & 0xFFF
    parallelism = try reader.u8() & 3
    chromaFormat = try reader.u8() & 3
    lumaBitDepth = try reader.u8() & 7 + 8
    chromaBitDepth = try reader.u8() & 7 + 8
    averageFrameRate = try reader.big()
    let packed = try reader.u8()
    constantFrameRate = packed >> 6
    temporalLayers = packed >> 3 & 7
    isTemporalIDNested = packed & 4 != 0
    lengthSize = Int(packed & 3) + 1
    arrays = []
    for _ in 0..<(try reader.u8()) {
      let head = try reader.u8()
      var units: [[UInt8]] = []
      for _ in 0..<(try reader.big(UInt16.self)) {
        let length = Int(try reader.big(UInt16.self))
        units.append(Swift.Array(try reader.take(length)))
      }
      arrays.append(Array(isComplete: head & 0x80 != 0, type: head & 0x3F, units: units))
    }
  }

  /// Creates the record from the parameter sets in a byte stream; `nil` if one of the three kinds is missing.
  public init?(byteStream bytes: some Collection<UInt8>) throws(MediaError) {
    let stream = Swift.Array(bytes)
    var found: [UInt8: [[UInt8]]] = [:]
    for range in stream.withUnsafeBytes({ AnnexB.units(in: $0) }) {
      let unit = Swift.Array(stream[range])
      let type = unit[0] >> 1 & 0x3F
      // nuh_layer_id other than 0 belongs to an extension, which hvcC does not describe.
      guard (32...34).contains(type), unit.count > 2, unit[0] & 1 == 0, unit[1] >> 3 == 0,
        found[type]?.contains(unit) != true
      else { continue }
      found[type, default: []].append(unit)
    }
    guard let video = found[32], let sequence = found[33], let picture = found[34],
      let first = sequence.first
    else { return nil }
    guard (video + sequence + picture).allSatisfy({ $0.count <= 0xFFFF }) else {
      throw MediaError(.limitExceeded, "the parameter sets do not fit into hvcC", path: "hvcC")
    }
    let parameters = try HEVCSequenceParameters(nalUnit: first)
    profileTierLevel = parameters.profileTierLevel
    chromaFormat = parameters.chromaFormat
    lumaBitDepth = parameters.lumaBitDepth
    chromaBitDepth = parameters.chromaBitDepth
    temporalLayers = parameters.temporalLayers
    isTemporalIDNested = parameters.isTemporalIDNested
    arrays = [
      Array(isComplete: true, type: 32, units: video),
      Array(isComplete: true, type: 33, units: sequence),
      Array(isComplete: true, type: 34, units: picture),
    ]
  }

  /// The record.
  public var bytes: [UInt8] {
    var result: [UInt8] = [1]
    result += (profileTierLevel + [UInt8](repeating: 0, count: 12)).prefix(12)
    func append(_ value: UInt16) { result += [UInt8(value >> 8), UInt8(value & 0xFF)] }
    append(0xF000 | minimumSpatialSegmentation & 0xFFF)
    result.append(0xFC | parallelism & 3)
    result.append(0xFC | chromaFormat & 3)
    result.append(0xF8 | (lumaBitDepth &- 8) & 7)
    result.append(0xF8 | (chromaBitDepth &- 8) & 7)
    append(averageFrameRate)
    let nested: UInt8 = isTemporalIDNested ? 4 : 0
    let length = UInt8(truncatingIfNeeded: lengthSize - 1) & 3
    result.append(constantFrameRate << 6 | (temporalLayers & 7) << 3 | nested | length)
    let arrays = arrays.prefix(255)
    result.append(UInt8(arrays.count))
    for array in arrays {
      result.append((array.isComplete ? 0x80 : 0) | array.type & 0x3F)
      let units = array.units.prefix(0xFFFF)
      append(UInt16(units.count))
      for unit in units {
        let count = UInt16(clamping: unit.count)
        append(count)
        result += unit.prefix(Int(count))
      }
    }
    return result
  }
}
