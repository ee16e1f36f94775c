import RespoolMedia

/// The NAL units of a packet, each after its length.
struct LengthPrefixedUnits {
  private(set) var units: [ArraySlice<UInt8>] = []

  /// First byte of each unit.
  var firstBytes: [UInt8] { units.compactMap(\.first) }

  /// `nil` if the lengths do not fill the packet exactly.
  init?(_ bytes: [UInt8], _ lengthSize: Int) {
    var position = 0
    while position < bytes.count {
      var length = 0
      for offset in 0..<lengthSize where position + offset < bytes.count {
        length = length << 8 | Int(bytes[position + offset])
      }
      let start = position + lengthSize
      guard length > 0, start + length <= bytes.count else { return nil }
      units.append(bytes[start..<start + length])
      position = start + length
    }
  }

  /// Throws if the lengths do not fill the packet exactly.
  init(_ packet: Packet, _ lengthSize: Int, _ record: String, _ index: Int) throws(Finding) {
    let bytes = packet.bytes
    guard let parsed = Self(bytes, lengthSize) else {
      throw Finding("packet \(index): \(Self.problem(bytes, lengthSize, record))")
    }
    self = parsed
  }

  /// Returns the reason why lengths do not fill a packet.
  static func problem(_ bytes: [UInt8], _ lengthSize: Int, _ record: String) -> String {
    let size = lengthSize.counting("byte")
    return AnnexB.isByteStream(bytes)
      ? "start codes (Annex B) were found, but \(record) states lengths of \(size)"
      : "the NAL units do not fill the packet; \(record) states lengths of \(size)"
  }

  /// Throws if a parameter set among the units is not in a configuration record.
  func compare(_ sets: [[UInt8]], _ record: String, _ isSet: (UInt8) -> Bool) throws(Finding) {
    for unit in units where unit.first.map(isSet) == true {
      guard !sets.contains(where: { $0.elementsEqual(unit) }) else { continue }
      throw Finding(
        "the first packet has a sequence parameter set that \(record) does not have: the stream and "
          + "its record differ")
    }
  }
}
