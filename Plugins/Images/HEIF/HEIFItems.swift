import RespoolPlugin

/// The items of a HEIF file (ISO/IEC 23008-12; ISO/IEC 14496-12 8.11).
struct HEIFItems {
  /// An item and where its bytes are.
  struct Item {
    var type = ""
    var contentType = ""
    var extents: [Range<Int64>] = []
    /// `true` if the extents are places in the box `idat`.
    var isInData = false
    var isHidden = false
    /// Indexes of its properties, from 0.
    var properties: [Int] = []
  }

  /// A reference from an item to others.
  struct Reference {
    let type: String
    let from: UInt32
    let to: [UInt32]
  }

  /// A property box.
  struct Property {
    let type: String
    let body: ArraySlice<UInt8>
  }

  private(set) var items: [UInt32: Item] = [:]
  private(set) var references: [Reference] = []
  private(set) var properties: [Property] = []
  private(set) var primary: UInt32?
  /// Place of the body of `idat` in the file.
  private var data: Range<Int64>?

  /// Largest box `meta` that is read.
  static let mostBytes: Int64 = 64 << 20
  private static let mostItems = 1 << 16

  /// Reads the body of a box `meta`, with the offsets of the file.
  init(_ bytes: [UInt8], at origin: Int64) throws(MediaError) {
    var reader = ByteReader(bytes, origin: origin)
    try reader.skip(4)
    while reader.remaining >= 8 {
      var box = try HEIFBox(&reader)
      switch box.type {
      case "pitm":
        let isLong = try box.body.u8() > 0
        try box.body.skip(3)
        primary = isLong ? try box.body.big(UInt32.self) : UInt32(try box.body.big(UInt16.self))
      case "iinf": try readInformation(box.body)
      case "iloc": try readPlaces(box.body)
      case "iref": try readReferences(box.body)
      case "iprp": try readProperties(box.body)
      case "idat": data = box.body.offset..<box.body.offset + Int64(box.body.remaining)
      default: break
      }
    }
  }

  /// Returns the properties of an item in their order.
  func properties(of item: UInt32) -> [Property] {
    items[item]?.properties.compactMap { properties.indices.contains($0) ? properties[$0] : nil }
      ?? []
  }

  /// Returns the places of an item's bytes in the file.
  func places(of item: UInt32) throws(MediaError) -> [Range<Int64>] {
    guard let found = items[item] else { return [] }
    guard found.isInData else { return found.extents }
    guard let data else {
      throw MediaError(.malformed, "an item has its bytes in a box idat that does not exist")
    }
    return found.extents.map { extent in
      let start = min(data.upperBound, data.lowerBound.addingClamped(extent.lowerBound))
      return
        start..<min(data.upperBound, max(start, data.lowerBound.addingClamped(extent.upperBound)))
    }
  }

  // MARK: Boxes

  /// `iinf` and its entries `infe` (8.11.6).
  private mutating func readInformation(_ box: ByteReader) throws(MediaError) {
    var reader = box
    let isLong = try reader.u8() > 0
    try reader.skip(isLong ? 7 : 5)
    while reader.remaining >= 8 {
      var entry = try HEIFBox(&reader)
      guard entry.type == "infe" else { continue }
      let version = try entry.body.u8()
      try entry.body.skip(2)
      let flags = try entry.body.u8()
      guard version >= 2 else { continue }
      let id =
        version == 2 ? UInt32(try entry.body.big(UInt16.self)) : try entry.body.big(UInt32.self)
      try entry.body.skip(2)
      guard items.count < Self.mostItems || items[id] != nil else {
        throw MediaError(.malformed, "more than \(Self.mostItems) items", offset: box.offset)
      }
      let type = try entry.body.text(4)
      var text = try entry.body.take(entry.body.remaining).split(
        separator: 0, omittingEmptySubsequences: false)
      text.removeFirst(min(1, text.count))
      let contentType = type == "mime" ? String(decoding: text.first ?? [], as: UTF8.self) : ""
      items[id, default: Item()].type = type
      items[id]?.contentType = contentType
      items[id]?.isHidden = flags & 1 != 0
    }
  }

  /// `iloc` (8.11.3).
  private mutating func readPlaces(_ box: ByteReader) throws(MediaError) {
    var reader = box
    let version = try reader.u8()
    try reader.skip(3)
    let sizes = [try reader.u8(), try reader.u8()]
    let (offsetSize, lengthSize) = (Int(sizes[0] >> 4), Int(sizes[0] & 15))
    let (baseSize, indexSize) = (Int(sizes[1] >> 4), version > 0 ? Int(sizes[1] & 15) : 0)
    let count =
      version < 2 ? Int(try reader.big(UInt16.self)) : Int(try reader.big(UInt32.self))
    for _ in 0..<min(count, Self.mostItems) {
      let id = version < 2 ? UInt32(try reader.big(UInt16.self)) : try reader.big(UInt32.self)
      let method = version > 0 ? try reader.big(UInt16.self) & 15 : 0
      // Other files are not read.
      let isElsewhere = try reader.big(UInt16.self) != 0 || method > 1
      let base = try reader.number(baseSize)
      let extents = Int(try reader.big(UInt16.self))
      var places: [Range<Int64>] = []
      for _ in 0..<extents {
        _ = try reader.number(indexSize)
        let start = base.addingClamped(try reader.number(offsetSize))
        let length = try reader.number(lengthSize)
        places.append(start..<(length == 0 ? .max : start.addingClamped(length)))
      }
      guard !isElsewhere, items.count < Self.mostItems || items[id] != nil else { continue }
      items[id, default: Item()].extents = places
      items[id]?.isInData = method == 1
    }
  }

  /// `iref` (8.11.12).
  private mutating func readReferences(_ box: ByteReader) throws(MediaError) {
    var reader = box
    let isLong = try reader.u8() > 0
    try reader.skip(3)
    func id(_ body: inout ByteReader) throws(MediaError) -> UInt32 {
      isLong ? try body.big(UInt32.self) : UInt32(try body.big(UInt16.self))
    }
    while reader.remaining >= 8, references.count < Self.mostItems {
      var entry = try HEIFBox(&reader)
      let from = try id(&entry.body)
      let count = Int(try entry.body.big(UInt16.self))
      var targets: [UInt32] = []
      for _ in 0..<count { targets.append(try id(&entry.body)) }
      references.append(Reference(type: entry.type, from: from, to: targets))
    }
  }

  /// `iprp` with `ipco` and `ipma` (ISO/IEC 23008-12 9.3).
  private mutating func readProperties(_ box: ByteReader) throws(MediaError) {
    var reader = box
    while reader.remaining >= 8 {
      var part = try HEIFBox(&reader)
      if part.type == "ipco" {
        while part.body.remaining >= 8, properties.count < Self.mostItems {
          var property = try HEIFBox(&part.body)
          properties.append(
            Property(type: property.type, body: try property.body.take(property.body.remaining)))
        }
      } else if part.type == "ipma" {
        let isLong = try part.body.u8() > 0
        try part.body.skip(2)
        let hasWideIndex = try part.body.u8() & 1 != 0
        let count = Int(try part.body.big(UInt32.self))
        for _ in 0..<min(count, Self.mostItems) {
          let id =
            isLong ? try part.body.big(UInt32.self) : UInt32(try part.body.big(UInt16.self))
          for _ in 0..<Int(try part.body.u8()) {
            let index =
              hasWideIndex
              ? Int(try part.body.big(UInt16.self) & 0x7FFF) : Int(try part.body.u8() & 0x7F)
            if index > 0, items[id] != nil || items.count < Self.mostItems {
              items[id, default: Item()].properties.append(index - 1)
            }
          }
        }
      }
    }
  }
}

/// A box: its type and its body.
struct HEIFBox {
  let type: String
  var body: ByteReader

  init(_ reader: inout ByteReader) throws(MediaError) {
    let start = reader.position
    var size = UInt64(try reader.big(UInt32.self))
    type = try reader.text(4)
    if size == 1 { size = try reader.big(UInt64.self) }
    let header = reader.position - start
    let left = reader.remaining
    let length = size == 0 ? left : Int(clamping: size) - header
    body = try reader.sub(length)
  }
}

extension ByteReader {
  /// Reads a big-endian number of 0, 4 or 8 bytes, at most the largest offset.
  fileprivate mutating func number(_ size: Int) throws(MediaError) -> Int64 {
    size == 0 ? 0 : Int64(clamping: try big(bytes: size))
  }
}
