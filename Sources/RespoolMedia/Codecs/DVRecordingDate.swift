/// The date and time of recording in a frame of DV (IEC 61834-4; SMPTE ST 314 "VAUX" and "Subcode data").
public enum DVRecordingDate {
  /// Size in bytes of the first DIF sequence of a frame, which has the date.
  public static let sequenceSize = 150 * blockSize
  private static let blockSize = 80
  private static let packSize = 5

  /// Returns the date in ISO 8601 without a time zone; without a time if that is unknown.
  ///
  /// `nil` if the bytes do not begin with a frame, or if the date is unknown.
  public static func text(_ frame: some Collection<UInt8>) -> String? {
    let bytes = Array(frame.prefix(sequenceSize))
    // A header section begins each sequence.
    guard bytes.count >= blockSize, bytes[0] >> 5 == 0, bytes[1] >> 4 == 0, bytes[2] == 0 else {
      return nil
    }
    var (day, time): (String?, String?)
    for start in stride(from: blockSize, to: bytes.count - blockSize + 1, by: blockSize) {
      for pack in packs(Array(bytes[start..<start + blockSize])) {
        switch pack[0] {
        case 0x62: day = day ?? Self.day(pack)
        case 0x63: time = time ?? Self.time(pack)
        default: break
        }
      }
    }
    return day.map { day in time.map { "\(day)T\($0)" } ?? day }
  }

  /// Returns the packs of a block of subcode or of VAUX.
  private static func packs(_ block: [UInt8]) -> [[UInt8]] {
    let places: StrideTo<Int>
    switch block[0] >> 5 {
    // Six sync blocks of eight bytes, each with a pack after three bytes of ID.
    case 1: places = stride(from: 6, to: 3 + 6 * 8, by: 8)
    case 2: places = stride(from: 3, to: 3 + 15 * packSize, by: packSize)
    default: return []
    }
    return places.map { Array(block[$0..<$0 + packSize]) }
  }

  private static func day(_ pack: [UInt8]) -> String? {
    guard let day = number(pack[2] & 0x3F, 1...31), let month = number(pack[3] & 0x1F, 1...12),
      let year = number(pack[4], 0...99)
    else { return nil }
    // Years have two digits, and DV is from 1995.
    return "\(pack[4] < 0x90 ? "20" : "19")\(year)-\(month)-\(day)"
  }

  private static func time(_ pack: [UInt8]) -> String? {
    guard let second = number(pack[2] & 0x7F, 0...59), let minute = number(pack[3] & 0x7F, 0...59),
      let hour = number(pack[4] & 0x3F, 0...23)
    else { return nil }
    return "\(hour):\(minute):\(second)"
  }

  /// Returns the two digits of a byte in binary-coded decimal.
  ///
  /// `nil` if they are not digits or out of range.
  private static func number(_ byte: UInt8, _ range: ClosedRange<Int>) -> String? {
    let (tens, units) = (Int(byte >> 4), Int(byte & 0xF))
    guard tens < 10, units < 10, range.contains(tens * 10 + units) else { return nil }
    return "\(tens)\(units)"
  }
}

extension MediaDescription {
  /// Adds the date in the first frame of a DV track.
  ///
  /// It is the creation time if the file states none, else the `date`, unless the file states that too.
  public mutating func addRecordingDate(ofDVFrame frame: some Collection<UInt8>) {
    guard let date = DVRecordingDate.text(frame) else { return }
    let places = [MetadataDate.creationTime, "date"]
    let stated = metadata.filter { places.contains($0.name.lowercased()) }
    guard !stated.contains(where: { MetadataDate.distance($0.value, date) == 0 }),
      let name = places.first(where: { name in !stated.contains { $0.name.lowercased() == name } })
    else { return }
    metadata.append(MetadataEntry(name, date))
    guard name == "date", !nativeTags.isEmpty else { return }
    nativeTags.append(NativeTag(keySpace: "dv", key: name, name: name, value: date))
  }
}
