import RespoolPlugin

/// The parameter sets of a configuration record, which need not be repeated in packets.
///
/// In `avc1` and `hvc1`, parameter sets are only in the record (ISO/IEC 14496-15 5.4.2.1 and 8.4.1.1). In `avc3` and
/// `hev1`, packets may have them too.
struct RecordedParameterSets {
  private let codec: String
  private let units: Set<[UInt8]>
  /// `true` if a packet has a parameter set that the record does not have.
  private(set) var haveOthers = false

  /// `nil` if `record` is not the record of H.264 or HEVC.
  init?(codec: String, record: [UInt8]) {
    self.codec = codec
    switch codec {
    case "h264":
      guard let record = try? AVCConfiguration(record) else { return nil }
      units = Set(
        record.sequenceParameterSets + record.pictureParameterSets
          + (record.highProfile?.sequenceParameterSetExtensions ?? []))
    case "hevc":
      guard let record = try? HEVCConfiguration(record) else { return nil }
      units = Set(record.arrays.flatMap(\.units))
    default: return nil
    }
  }

  /// Returns the units of a packet that are stored: all except the parameter sets of the record.
  ///
  /// After the first set that the record does not have, all are stored, because it may replace one of the record.
  mutating func stored(_ ranges: [Range<Int>], of bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    let sets = ranges.filter { isParameterSet(bytes[$0]) }
    if !haveOthers { haveOthers = sets.contains { !units.contains(Array(bytes[$0])) } }
    // A packet of nothing else is stored: without bytes, the track would have one packet less.
    guard !haveOthers, sets.count < ranges.count else { return ranges }
    return ranges.filter { !sets.contains($0) }
  }

  /// Returns `true` for the types of parameter sets that a record has.
  private func isParameterSet(_ unit: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = unit.first else { return false }
    // Sequence and picture parameter sets, and the extension of the first (ITU-T H.264 table 7-1).
    if codec == "h264" { return [7, 8, 13].contains(first & 0x1F) }
    // Sets of layers above the base layer are in other records (ISO/IEC 14496-15 9.5.3).
    let isBaseLayer = first & 1 == 0 && unit.dropFirst().first.map { $0 >> 3 == 0 } ?? false
    return isBaseLayer && (32...34).contains(first >> 1 & 0x3F)
  }
}
