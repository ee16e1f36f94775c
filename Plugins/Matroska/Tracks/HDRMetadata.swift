import RespoolPlugin

/// Conversion of the elements MasteringMetadata, MaxCLL and MaxFALL to the bodies of the boxes `mdcv` and `clli`, and
/// back.
///
/// Tracks store the boxes as side data (ISO/IEC 14496-12 12.1.7 and 12.1.6).
extension MasteringMetadata {
  static let masteringDisplay: FourCC = "mdcv"
  static let contentLight: FourCC = "clli"
  /// Side data type of an incomplete MasteringMetadata element, which is stored as EBML.
  ///
  /// The box `mdcv` requires all ten values.
  static let incompleteDisplay: FourCC = "MKmd"

  /// Reads the side data of a track.
  init(_ sideData: [SideData]) {
    self.init()
    if let body = sideData[Self.masteringDisplay] {
      readDisplay(body)
    } else if let body = sideData[Self.incompleteDisplay] {
      try? read(EBMLElement(.masteringMetadata, in: "", payload: ByteReader(body)))
    }
    if let body = sideData[Self.contentLight], body.count >= 4 {
      maxCLL = Int(body[0]) << 8 | Int(body[1])
      maxFALL = Int(body[2]) << 8 | Int(body[3])
    }
  }

  /// Reads chromaticities in units of 0.00002 in the order green, blue, red, white.
  ///
  /// Luminances follow, in 0.0001 cd/m2.
  private mutating func readDisplay(_ body: [UInt8]) {
    var reader = ByteReader(body)
    do throws(MediaError) {
      for index in [2, 3, 4, 5, 0, 1, 6, 7] {
        chromaticities[index] = Double(try reader.big(UInt16.self)) / 50_000
      }
      luminanceMax = Double(try reader.big(UInt32.self)) / 10_000
      luminanceMin = Double(try reader.big(UInt32.self)) / 10_000
    } catch {
      chromaticities = Array(repeating: nil, count: 8)
    }
  }

  /// The side data: `mdcv`, or ``incompleteDisplay`` if values are missing, and `clli` if a light level is known.
  var sideData: [SideData] {
    var records: [SideData] = []
    let coordinates = chromaticities.compactMap { $0 }
    if coordinates.count == 8, let luminanceMax, let luminanceMin {
      func units(_ value: Double, _ scale: Double, _ most: Double) -> UInt32 {
        UInt32(max(0, min(value.isFinite ? value * scale : 0, most)).rounded())
      }
      var body: [UInt8] = []
      for index in [2, 3, 4, 5, 0, 1, 6, 7] {
        let value = units(coordinates[index], 50_000, 65535)
        body += [UInt8(value >> 8), UInt8(value & 0xFF)]
      }
      for luminance in [luminanceMax, luminanceMin] {
        let value = units(luminance, 10_000, Double(UInt32.max))
        body += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
      }
      records.append(SideData(Self.masteringDisplay, body))
    } else if hasDisplay {
      var writer = EBMLWriter()
      writeDisplay(to: &writer)
      records.append(SideData(Self.incompleteDisplay, writer.bytes))
    }
    if maxCLL != nil || maxFALL != nil {
      let levels = [maxCLL, maxFALL].map { UInt16(clamping: $0 ?? 0) }
      records.append(
        SideData(Self.contentLight, levels.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
    }
    return records
  }

  /// `true` if there is nothing to write.
  var isEmpty: Bool { self == MasteringMetadata() }

  /// Writes the elements into Colour.
  func write(to colour: inout EBMLWriter) {
    if let maxCLL { colour.unsigned(.maxCLL, maxCLL) }
    if let maxFALL { colour.unsigned(.maxFALL, maxFALL) }
    guard hasDisplay else { return }
    colour.master(.masteringMetadata) { writeDisplay(to: &$0) }
  }

  private var hasDisplay: Bool {
    luminanceMax != nil || luminanceMin != nil || chromaticities.contains { $0 != nil }
  }

  private func writeDisplay(to master: inout EBMLWriter) {
    for (id, value) in zip(Self.elements, chromaticities) {
      if let value { master.float(id, value) }
    }
    if let luminanceMax { master.float(.luminanceMax, luminanceMax) }
    if let luminanceMin { master.float(.luminanceMin, luminanceMin) }
  }
}
