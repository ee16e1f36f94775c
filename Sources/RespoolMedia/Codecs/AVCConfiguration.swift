/// AVCDecoderConfigurationRecord, `avcC` (ISO/IEC 14496-15 5.3.3.1).
public struct AVCConfiguration: Hashable, Sendable {
  public var profile: UInt8
  public var compatibility: UInt8
  public var level: UInt8
  /// Bytes of the length in front of each NAL unit: 1, 2 or 4.
  public var lengthSize = 4
  public var sequenceParameterSets: [[UInt8]]
  public var pictureParameterSets: [[UInt8]]
  /// The part that only the high profiles have; many writers leave it out.
  public var highProfile: HighProfile?

  /// Fields of the record that only high profiles have.
  public struct HighProfile: Hashable, Sendable {
    public var chromaFormat: UInt8
    public var lumaBitDepth: UInt8
    public var chromaBitDepth: UInt8
    public var sequenceParameterSetExtensions: [[UInt8]]
  }

  /// Parses the record.
  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    let version = try reader.u8()
    guard version == 1 else {
      throw MediaError(.malformed, "avcC has version \(version); it must be 1", path: "avcC")
    }
    profile = try reader.u8()
    compatibility = try reader.u8()
    level = try reader.u8()
    lengthSize = Int(try reader.u8() & 3) + 1
    let sequenceCount = Int(try reader.u8() & 0x1F)
    sequenceParameterSets = try Self.sets(&reader, count: sequenceCount)
    let frameCount = Int(try reader.u8())
    pictureParameterSets = try Self.sets(&reader, count: frameCount)
    guard AVCSequenceParameters.highProfiles.contains(profile), reader.remaining >= 4 else {
      return
    }
    let chroma = try reader.u8() & 3
    let luma = try reader.u8() & 7
    let chromaDepth = try reader.u8() & 7
    let extensionCount = Int(try reader.u8())
    highProfile = HighProfile(
      chromaFormat: chroma, lumaBitDepth: luma + 8, chromaBitDepth: chromaDepth + 8,
      sequenceParameterSetExtensions: try Self.sets(&reader, count: extensionCount))
  }

  private static func sets(_ reader: inout ByteReader, count: Int) throws(MediaError) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for _ in 0..<count {
      let length = Int(try reader.big(UInt16.self))
      result.append(Array(try reader.take(length)))
    }
    return result
  }

  /// Creates the record from the parameter sets in a byte stream; `nil` if it has no sequence or no picture
  /// parameter set.
  public init?(byteStream bytes: some Collection<UInt8>) throws(MediaError) {
    let stream = Array(bytes)
    let ranges = stream.withUnsafeBytes { AnnexB.units(in: $0) }
    var sequence: [[UInt8]] = []
    var picture: [[UInt8]] = []
    var extensions: [[UInt8]] = []
    for range in ranges {
      let unit = Array(stream[range])
      switch unit[0] & 0x1F {
      case 7 where !sequence.contains(unit): sequence.append(unit)
      case 8 where !picture.contains(unit): picture.append(unit)
      case 13 where !extensions.contains(unit): extensions.append(unit)
      default: break
      }
    }
    guard let first = sequence.first, !picture.isEmpty else { return nil }
    guard sequence.count <= 31, picture.count <= 255, extensions.count <= 255,
      (sequence + picture + extensions).allSatisfy({ $0.count <= 0xFFFF })
    else {
      throw MediaError(.limitExceeded, "the parameter sets do not fit into avcC", path: "avcC")
    }
    let parameters = try AVCSequenceParameters(nalUnit: first)
    profile = parameters.profile
    compatibility = parameters.constraints
    level = parameters.level
    sequenceParameterSets = sequence
    pictureParameterSets = picture
    if AVCSequenceParameters.highProfiles.contains(profile) {
      highProfile = HighProfile(
        chromaFormat: parameters.chromaFormat, lumaBitDepth: parameters.lumaBitDepth,
        chromaBitDepth: parameters.chromaBitDepth, sequenceParameterSetExtensions: extensions)
    }
  }

  /// The record.
  public var bytes: [UInt8] {
    var result: [UInt8] = [1, profile, compatibility, level]
    result.append(0xFC | UInt8(truncatingIfNeeded: lengthSize - 1) & 3)
    func append(_ sets: ArraySlice<[UInt8]>) {
      for set in sets {
        let count = UInt16(clamping: set.count)
        result += [UInt8(count >> 8), UInt8(count & 0xFF)]
        result += set.prefix(Int(count))
      }
    }
    let sequence = sequenceParameterSets.prefix(31)
    result.append(0xE0 | UInt8(sequence.count))
    append(sequence)
    let picture = pictureParameterSets.prefix(255)
    result.append(UInt8(picture.count))
    append(picture)
    if let high = highProfile {
      result.append(0xFC | high.chromaFormat & 3)
      result.append(0xF8 | (high.lumaBitDepth &- 8) & 7)
      result.append(0xF8 | (high.chromaBitDepth &- 8) & 7)
      let extensions = high.sequenceParameterSetExtensions.prefix(255)
      result.append(UInt8(extensions.count))
      append(extensions)
    }
    return result
  }

  /// The parameter sets as NAL units after start codes, for decoders of byte streams.
  public var byteStream: [UInt8] {
    var result: [UInt8] = []
    for unit in sequenceParameterSets + pictureParameterSets { result += [0, 0, 0, 1] + unit }
    return result
  }
}
