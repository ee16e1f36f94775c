import RespoolMedia

/// A parsed EBML element, for inspecting written files.
struct Element {
  var id: UInt32
  /// Offset of the element's first byte in the file.
  var offset: Int
  var payload: [UInt8]
  var children: [Element] = []

  private static let masters: Set<UInt32> = [
    0x1A45_DFA3, 0x1853_8067, 0x114D_9B74, 0x4DBB, 0x1549_A966, 0x1654_AE6B, 0xAE, 0xE0, 0xE1,
    0x55B0, 0x1F43_B675, 0xA0, 0x75A1, 0xA6, 0x1C53_BB6B, 0xBB, 0xB7, 0x1043_A770, 0x45B9, 0xB6,
    0x80, 0x1254_C367, 0x7373, 0x63C0, 0x67C8, 0x1941_A469, 0x61A7,
  ]

  static func parse(_ bytes: [UInt8], origin: Int = 0) throws(MediaError) -> [Element] {
    var reader = ByteReader(bytes)
    var result: [Element] = []
    while !reader.isAtEnd {
      let offset = origin + reader.position
      let first = try reader.u8()
      var id = UInt32(first)
      for _ in 0..<first.leadingZeroBitCount { id = id << 8 | UInt32(try reader.u8()) }
      let head = try reader.u8()
      var size = UInt64(head) & (0x7F >> UInt64(head.leadingZeroBitCount))
      for _ in 0..<head.leadingZeroBitCount { size = size << 8 | UInt64(try reader.u8()) }
      let start = reader.position
      let payload = Array(try reader.take(Int(size)))
      var element = Element(id: id, offset: offset, payload: payload)
      if masters.contains(id) { element.children = try parse(payload, origin: origin + start) }
      result.append(element)
    }
    return result
  }

  var number: Int { payload.reduce(0) { $0 << 8 | Int($1) } }
  var text: String { String(decoding: payload, as: UTF8.self) }
  var double: Double { Double(bitPattern: payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
}

extension [Element] {
  /// Returns the elements at the end of a path of identifiers.
  func all(_ path: UInt32...) -> [Element] {
    var level = self
    for (index, id) in path.enumerated() {
      level = level.filter { $0.id == id }
      if index < path.count - 1 { level = level.flatMap(\.children) }
    }
    return level
  }
}
