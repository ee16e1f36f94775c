import CDeflate
import RespoolPlugin

/// The chunks of a PNG file without those of its image (ISO/IEC 15948 clause 11; third edition for `eXIf` and `cICP`).
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private(set) var header: [UInt8] = []
  private(set) var exif: [UInt8]?
  private(set) var xmp: [UInt8]?
  private(set) var profile: [UInt8]?
  private(set) var color = ColorDescription.unspecified
  private(set) var aspect: Rational?
  private(set) var texts: [MetadataEntry] = []
  private(set) var hasTransparency = false
  private(set) var endsEarly = true

  /// More chunks than a file of 4 GiB has in 8 KiB each, the usual size.
  private static let mostChunks = 1 << 19
  /// Largest body that is read: more than any profile or text.
  private static let mostBytes = 16 << 20
  private static let xmpKeyword = "XML:com.adobe.xmp"

  init(_ source: ByteSource) throws(MediaError) {
    guard let size = source.size else {
      throw MediaError(.unsupported, "a PNG file needs a known size")
    }
    var place: Int64 = 8
    for _ in 0..<Self.mostChunks {
      guard place <= size - 12 else { break }
      var head = ByteReader(try source.readExactly(at: place, count: 8))
      let length = Int64(try head.big(UInt32.self))
      let type = try head.text(4)
      guard place <= size - 12 - length else { break }
      if type == "IEND" {
        endsEarly = false
        break
      }
      if Self.known.contains(type), length <= Self.mostBytes {
        try take(type, source.readExactly(at: place + 8, count: Int(length)))
      }
      place += 12 + length
    }
    guard header.count == 13 else {
      throw MediaError(.malformed, "the file has no header (IHDR)", offset: 8)
    }
  }

  private static let known: Set<String> = [
    "IHDR", "eXIf", "iCCP", "sRGB", "cICP", "pHYs", "tRNS", "tEXt", "zTXt", "iTXt",
  ]

  private mutating func take(_ type: String, _ body: [UInt8]) throws(MediaError) {
    var reader = ByteReader(body)
    switch type {
    case "IHDR": header = body
    case "eXIf": exif = body
    case "tRNS": hasTransparency = true
    case "sRGB":
      if color.primaries == H273.unspecified { (color.primaries, color.transfer) = (1, 13) }
    case "cICP" where body.count == 4: (color.primaries, color.transfer) = (body[0], body[1])
    case "pHYs" where body.count == 9:
      let (x, y) = (try reader.big(UInt32.self), try reader.big(UInt32.self))
      // The unit 0 means that only the ratio is known (11.3.5.3); more pixels per unit are narrower.
      if x != y, x > 0, y > 0 { aspect = Rational(reducing: Int64(y), Int64(x)) }
    case "iCCP":
      guard let end = body.firstIndex(of: 0), end + 2 <= body.count else { return }
      profile = Self.inflated(body[(end + 2)...])
    case "tEXt", "zTXt", "iTXt": takeText(type, body)
    default: break
    }
  }

  /// Takes a text: a keyword and a value, compressed or not (11.3.4).
  private mutating func takeText(_ type: String, _ body: [UInt8]) {
    guard let end = body.firstIndex(of: 0) else { return }
    let keyword = String(latin1: body[..<end])
    var value = body[(end + 1)...]
    switch type {
    case "zTXt":
      guard let text = Self.inflated(value.dropFirst()) else { return }
      value = text[...]
    case "iTXt":
      let isCompressed = value.first == 1
      value = value.dropFirst(2)
      for _ in 0..<2 {
        guard let end = value.firstIndex(of: 0) else { return }
        value = value[(end + 1)...]
      }
      if isCompressed {
        guard let text = Self.inflated(value) else { return }
        value = text[...]
      }
    default: break
    }
    if keyword == Self.xmpKeyword {
      xmp = Array(value)
    } else if !keyword.hasPrefix("Raw profile") {
      let text =
        type == "iTXt" ? String(decoding: value, as: UTF8.self) : String(latin1: value)
      if !text.isEmpty { texts.append(MetadataEntry(Self.name(ofKeyword: keyword), text)) }
    }
  }

  /// Keywords that the standard defines, and the names of their tags.
  private static let keywords: [(keyword: String, name: String)] = [
    ("Title", "title"), ("Author", "artist"), ("Description", "description"),
    ("Copyright", "copyright"), ("Creation Time", "date"), ("Comment", "comment"),
    ("Software", "encoder"),
  ]

  private static func name(ofKeyword keyword: String) -> String {
    keywords.first { $0.keyword == keyword }?.name ?? keyword
  }

  /// Returns the content of a zlib stream; `nil` if it is damaged or has more than 16 MiB.
  private static func inflated(_ stream: ArraySlice<UInt8>) -> [UInt8]? {
    var room = 64 << 10
    while room <= mostBytes {
      var count = room
      var status: Int32 = -1
      let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
        guard let base = buffer.baseAddress else { return }
        status = stream.withUnsafeBytes { input in
          input.baseAddress.map { zlib_inflate(base, &count, $0, input.count) } ?? -1
        }
        initialized = status == 0 ? count : 0
      }
      if status == 0 { return bytes }
      guard status == 1 else { return nil }
      room *= 4
    }
    return nil
  }

  // MARK: Writing

  /// Returns a file with the chunks of a coded image and the description of `image`.
  static func file(of packet: [UInt8], _ image: WrittenImage) throws(MediaError) -> [UInt8] {
    try chunks(of: packet, description: description(of: image))
  }

  /// Returns the coded image of a file, without the chunks that describe it.
  static func image(in file: [UInt8]) throws(MediaError) -> [UInt8] {
    try chunks(of: file, description: [])
  }

  /// Replaces the chunks with descriptions by others, which come behind the header.
  private static func chunks(of packet: [UInt8], description: [UInt8]) throws(MediaError) -> [UInt8]
  {
    guard packet.starts(with: signature) else {
      throw MediaError(.malformed, "the coded image is not PNG", track: 0)
    }
    var reader = ByteReader(packet)
    try reader.skip(8)
    var file = signature
    while reader.remaining >= 8 {
      let start = reader.position
      let size = Int(try reader.big(UInt32.self))
      let type = try reader.text(4)
      // The decoder finds damage of a file that was cut off.
      try reader.skip(min(size + 4, reader.remaining))
      let chunk = packet[start..<reader.position]
      if !["eXIf", "iCCP", "iTXt", "zTXt", "tEXt", "tIME"].contains(type) { file += chunk }
      if type == "IHDR" { file += description }
    }
    return file
  }

  private static func description(of image: WrittenImage) throws(MediaError) -> [UInt8] {
    var bytes: [UInt8] = []
    // A gray image has no profile of RGB (ISO/IEC 15948 11.3.2.3).
    let isGray = image.track.pixelFormat.layout?.family == .gray
    if let profile = image.profile, !isGray || !profile.dropFirst(16).starts(with: "RGB ".utf8) {
      bytes += chunk("iCCP", Array("ICC profile".utf8) + [0, 0] + (try deflated(profile)))
    }
    if let exif = image.exif { bytes += chunk("eXIf", exif) }
    if let xmp = image.xmp {
      bytes += chunk("iTXt", Array(xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp)
    }
    for (keyword, name) in keywords where keyword != "Software" {
      guard let value = image.metadata.first(where: { $0.name == name })?.value else { continue }
      bytes += chunk("iTXt", Array(keyword.utf8) + [0, 0, 0, 0, 0] + Array(value.utf8))
    }
    return bytes
  }

  private static func deflated(_ bytes: [UInt8]) throws(MediaError) -> [UInt8] {
    var count = zlib_deflate_bound(bytes.count)
    var status: Int32 = -1
    let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let base = buffer.baseAddress else { return }
      status = bytes.withUnsafeBytes { input in
        input.baseAddress.map { zlib_deflate(base, &count, $0, input.count) } ?? -1
      }
      initialized = status == 0 ? count : 0
    }
    guard status == 0 else {
      throw MediaError(.limitExceeded, "the ICC profile cannot be compressed", track: 0)
    }
    return result
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let whole = Array(type.utf8) + body
    let sum = whole.withUnsafeBytes { bytes in
      bytes.baseAddress.map { zlib_crc(0, $0, bytes.count) } ?? 0
    }
    return UInt32(body.count).bigEndianBytes + whole + sum.bigEndianBytes
  }
}
