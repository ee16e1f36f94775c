import RespoolMedia

/// Entry of an export's journal: a packet or the end of a part.
///
/// Numbers are big-endian. The bytes of a packet follow the fields of its entry. The hash of a part follows the
/// fields of its end.
struct JournalRecord {
  enum Content {
    /// A packet, whose payload is a range of the journal.
    case packet(Packet)
    /// The end of a part: the times of its first frame and of the first frame after it.
    case partEnd(start: Int64, next: Int64)
  }

  let content: Content
  /// End of the fields, which are hashed before the payload.
  let fieldsEnd: Int64
  /// Offset of the next entry.
  let end: Int64

  static let magic = Array("RSPLJRN2".utf8)
  /// Size of the magic number and the hash of the settings, in bytes.
  static let headerSize = 8 + 16
  static let hashSize: Int64 = 16
  private static let packetTag: UInt8 = 1
  private static let partEndTag: UInt8 = 2
  private static let packetFields = 1 + 8 * 5 + 4 * 3
  private static let partEndFields = 1 + 8 * 2
  /// Value of an unknown time.
  private static let noTime = Int64.min

  static func header(_ settings: String) -> [UInt8] {
    var hash = MD5()
    Array(settings.utf8).withUnsafeBytes { hash.update($0) }
    return magic + hash.finalize()
  }

  /// Returns the fields of a packet's entry, without the packet's bytes.
  static func bytes(of packet: Packet) -> [UInt8] {
    var bytes: [UInt8] = [packetTag]
    for number in [
      packet.pts ?? noTime, packet.dts ?? noTime, packet.duration, packet.trimStart, packet.trimEnd,
    ] { bytes += number.bigEndianBytes }
    bytes += packet.flags.rawValue.bigEndianBytes
    let side = sideBytes(of: packet)
    bytes += UInt32(side.count).bigEndianBytes
    bytes += UInt32(packet.size).bigEndianBytes
    return bytes + side
  }

  /// Returns the block addition and the records, each with its type, length and bytes.
  private static func sideBytes(of packet: Packet) -> [UInt8] {
    let blockAddition = packet.sideData.isEmpty ? [] : [SideData(blockAddition, packet.sideData)]
    return (blockAddition + packet.records).flatMap {
      $0.type.rawValue.bigEndianBytes + UInt32($0.bytes.count).bigEndianBytes + $0.bytes
    }
  }

  private static func readSide(_ bytes: [UInt8], into packet: inout Packet) throws(MediaError) {
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      let type = FourCC(rawValue: try reader.big())
      let count: UInt32 = try reader.big()
      let bytes = Array(try reader.take(Int(count)))
      if type == blockAddition {
        packet.sideData = bytes
      } else {
        packet.records.append(SideData(type, bytes))
      }
    }
  }

  /// Type that marks `Packet.sideData` in an entry; no record has this type.
  private static let blockAddition = FourCC(rawValue: 0)

  static func partEnd(start: Int64, next: Int64) -> [UInt8] {
    [partEndTag] + start.bigEndianBytes + next.bigEndianBytes
  }

  /// Reads the entry at `offset`.
  ///
  /// Throws `malformed` if there is no entry or it is truncated.
  init(_ file: FileSource, at offset: Int64) throws(MediaError) {
    let count = min(Int64(Self.packetFields), file.size - offset)
    var reader = ByteReader(try file.bytes(at: offset, count: count))
    switch try reader.u8() {
    case Self.packetTag:
      var numbers: [Int64] = []
      for _ in 0..<5 { numbers.append(try reader.big()) }
      let flags: UInt32 = try reader.big()
      let (sideCount, size) = (
        Int64(try reader.big(UInt32.self)), Int64(try reader.big(UInt32.self))
      )
      fieldsEnd = offset + Int64(Self.packetFields) + sideCount
      end = fieldsEnd + size
      try file.check(range: fieldsEnd - sideCount, sideCount + size)
      func time(_ number: Int64) -> Int64? { number == Self.noTime ? nil : number }
      var packet = Packet(
        track: 0, pts: time(numbers[0]), dts: time(numbers[1]), duration: numbers[2],
        flags: Packet.Flags(rawValue: flags), payload: .range(offset: fieldsEnd, length: size))
      (packet.trimStart, packet.trimEnd) = (numbers[3], numbers[4])
      try Self.readSide(file.bytes(at: fieldsEnd - sideCount, count: sideCount), into: &packet)
      content = .packet(packet)
    case Self.partEndTag:
      content = .partEnd(start: try reader.big(), next: try reader.big())
      fieldsEnd = offset + Int64(Self.partEndFields)
      end = fieldsEnd + Self.hashSize
      try file.check(range: fieldsEnd, Self.hashSize)
    case let tag:
      throw MediaError(
        .malformed, "a journal entry has unknown kind \(tag)", file: file.path, offset: offset)
    }
  }
}

/// Determines how much of a journal is valid.
struct JournalScan {
  /// Required header of the journal; `nil`: any settings.
  let header: [UInt8]?
  /// End of the last complete part; 0 if the header is wrong.
  private(set) var validEnd: Int64 = 0
  private(set) var resumePoint: ExportJournal.ResumePoint?

  init(header: [UInt8]?) { self.header = header }

  /// Reads the journal to the end of its last complete part; throws at invalid data after it.
  mutating func read(_ path: String) throws(MediaError) {
    let file = try FileSource(path: path)
    let found = try file.bytes(at: 0, count: Int64(JournalRecord.headerSize))
    guard found.starts(with: JournalRecord.magic), header == nil || found == header else { return }
    var offset = Int64(found.count)
    validEnd = offset
    var hash = MD5()
    while offset < file.size {
      let record = try JournalRecord(file, at: offset)
      try Self.add(file, offset, record.fieldsEnd, to: &hash)
      switch record.content {
      case .packet: try Self.add(file, record.fieldsEnd, record.end, to: &hash)
      case .partEnd(let start, let next):
        let stated = try file.bytes(at: record.fieldsEnd, count: JournalRecord.hashSize)
        guard stated == hash.finalize(), next > start else { return }
        hash = MD5()
        validEnd = record.end
        resumePoint = ExportJournal.ResumePoint(lastPart: start, next: next)
      }
      offset = record.end
    }
  }

  private static func add(_ file: FileSource, _ start: Int64, _ end: Int64, to hash: inout MD5)
    throws(MediaError)
  {
    var offset = start
    while offset < end {
      let part = try file.bytes(at: offset, count: min(end - offset, 1 << 20))
      part.withUnsafeBytes { hash.update($0) }
      offset += Int64(part.count)
    }
  }
}
