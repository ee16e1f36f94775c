import RespoolPlugin

/// Boxes in the file and in the movie that other specifications define.
///
/// They are XMP and boxes of vendors in `uuid` (ISO/IEC 14496-12 4.2), and metadata of other handlers in `meta`
/// (8.11.1), such as what cameras of Sony store.
struct ForeignBoxes {
  /// Boxes that can be written unchanged to other movies.
  private(set) var records: [SideData] = []
  /// Descriptions of boxes that are valid only for the bytes of their file, or that are unknown.
  private(set) var parts: [String] = []

  private static let identifierSize = 16
  private static let largest: Int64 = 4 << 20
  private static let most = 64

  /// Identifier of content credentials (C2PA specification 2.1, A.4): they are signed for the bytes of the
  /// file.
  private static let credentials: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]
  /// Last 12 bytes of Sony's identifiers, which begin with four letters.
  private static let sony: [UInt8] = [
    0x21, 0xD2, 0x4F, 0xCE, 0xBB, 0x88, 0x69, 0x5C, 0xFA, 0xC9, 0xC7, 0x40,
  ]

  /// Types of the boxes of a file that contain the movie, its media and their indexes, or nothing.
  private static let ofMovie: Set<FourCC> = [
    "ftyp", "styp", "moov", "mdat", "moof", "mfra", "sidx", "ssix", "free", "skip", "wide", "pdin",
    "prft",
  ]

  /// Types of the boxes of a movie and of a track that are read and written, or empty.
  private static let ofTracks: Set<FourCC> = [
    "mvhd", "trak", "mvex", "iods", "tkhd", "tref", "edts", "mdia", "udta", "free", "skip", "wide",
  ]

  /// Names of boxes that no writer here writes, by their types.
  private static let names: [FourCC: String] = [
    "sefd": "Samsung trailer (sefd)", "emsg": "event messages (emsg)",
    "pnot": "preview (pnot)", "PICT": "preview image (PICT)",
  ]

  /// Reads and adds a box of the file; ignores the boxes that make up the movie.
  mutating func add(_ source: ByteSource, _ box: BoxHeader, at offset: Int64) throws(MediaError) {
    let size = (box.size ?? 0) - box.headerSize
    guard !Self.ofMovie.contains(box.type), records.count + parts.count < Self.most else { return }
    guard box.type == "uuid" || box.type == "meta" else {
      guard size > 0, box.type.isPrintable else { return }
      return parts.append(Self.names[box.type] ?? "box '\(box.type)'")
    }
    guard size >= Int64(Self.identifierSize) else { return }
    let payload = try source.read(
      at: offset + box.headerSize, count: Int(min(size, Self.largest)))
    if box.type == "uuid" { add(payload, size: size) } else { add(meta: payload, size: size) }
  }

  /// Adds a box of the movie or of a track; ignores those that are read elsewhere.
  mutating func add(_ type: FourCC, _ payload: ByteReader) {
    guard records.count + parts.count < Self.most else { return }
    let bytes = payload.bytes.prefix(Int(Self.largest))
    switch type {
    case "uuid": add(bytes, size: Int64(payload.count))
    case "meta": add(meta: bytes, size: Int64(payload.count))
    default:
      guard payload.count > 0, type.isPrintable, !Self.ofTracks.contains(type) else { return }
      let name = "box '\(type)'"
      if !parts.contains(name) { parts.append(name) }
    }
  }

  /// Adds a `meta` box with the given payload; its complete payload has `size` bytes.
  ///
  /// Metadata of iTunes and QuickTime (`mdir`, `mdta`) is read elsewhere, and so are items of images (`pict`).
  mutating func add(meta payload: some Sequence<UInt8>, size: Int64) {
    let bytes = Array(payload)
    // QuickTime's box has no version and flags.
    let code = Array("hdlr".utf8)
    guard
      let start = [4, 8].first(where: {
        bytes.count >= $0 + 16 && Array(bytes[$0..<$0 + 4]) == code
      })
    else { return }
    let handler = String(decoding: bytes[start + 12..<start + 16], as: UTF8.self)
    guard !["mdir", "mdta", "pict"].contains(handler) else { return }
    var reader = ByteReader(bytes)
    var types: Set<FourCC> = []
    if (try? reader.skip(start - 4)) != nil {
      while let (type, _) = try? reader.nextBox() { types.insert(type) }
    }
    // Items that lie elsewhere in the file would not be found.
    let isWhole = Int64(bytes.count) == size && types.isDisjoint(with: ["iloc", "iref", "dinf"])
    if isWhole {
      records.append(SideData(.metaBox, bytes))
    } else {
      parts.append("metadata of the handler '\(handler)'")
    }
  }

  /// Adds a box with the given payload; its complete payload has `size` bytes.
  mutating func add(_ payload: some Sequence<UInt8>, size: Int64) {
    let bytes = Array(payload)
    guard bytes.count >= Self.identifierSize else { return }
    let identifier = Array(bytes.prefix(Self.identifierSize))
    switch identifier {
    case SideData.xmpIdentifier where Int64(bytes.count) == size:
      records.append(SideData(.xmp, bytes))
    case Self.credentials: parts.append("content credentials (C2PA)")
    // Sony's profiles of the tracks.
    case _
    where identifier.starts(with: Array("PROF".utf8)) && identifier.suffix(12) == Self.sony[...]:
      break
    default:
      let digits = identifier.map { byte in
        let text = String(byte, radix: 16)
        return byte < 16 ? "0" + text : text
      }
      parts.append("box 'uuid' with the type \(digits.joined())")
    }
  }

  /// Returns the boxes for the records in `sideData`.
  static func bytes(of sideData: [SideData]) -> [UInt8] {
    var writer = BoxWriter()
    for record in sideData {
      switch record.type {
      case .xmp: writer.box("uuid") { $0.raw(record.bytes) }
      case .metaBox: writer.box("meta") { $0.raw(record.bytes) }
      default: break
      }
    }
    return writer.bytes
  }
}

extension FourCC {
  /// `true` if the code has only letters and digits, as the types of boxes have.
  var isPrintable: Bool {
    rawValue.bigEndianBytes.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & ~0x20)
    }
  }
}
