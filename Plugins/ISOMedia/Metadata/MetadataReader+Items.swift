import RespoolPlugin

/// Parsing of the items of `ilst`: iTunes items and items with named keys (QuickTime File Format,
/// "Metadata").
extension MetadataReader {
  /// Reads the payload of `ilst`.
  mutating func read(items reader: ByteReader, keys: ItemKeys) throws(MediaError) {
    var reader = reader
    while let (type, payload) = try reader.nextBox() {
      do throws(MediaError) {
        try read(item: type, payload, keys: keys)
      } catch {
        // Skips a damaged item and keeps the others.
      }
    }
  }

  mutating func read(item type: FourCC, _ reader: ByteReader, keys: ItemKeys)
    throws(MediaError)
  {
    var name = ItemNames.text[type] ?? ItemNames.numbers[type]
    var (keySpace, key) = ("itsk", type.description)
    let named = keys.key(of: type)
    if let named { (keySpace, key, name) = (named.keySpace, named.name, named.name) }
    var reader = reader
    while case (let child, var payload)? = try reader.nextBox() {
      if child == "mean", type == "----" {
        try payload.skip(4)
        (keySpace, key) = ("itlk", try payload.text(payload.remaining))
      }
      if child == "name", type == "----" {
        try payload.skip(4)
        let own = try payload.text(payload.remaining)
        (name, key) = (own, keySpace == "itlk" ? "\(key).\(own)" : own)
      }
      guard child == "data" else { continue }
      let kind = try payload.big(UInt32.self)
      let language = keys.language(country: try payload.big(), language: try payload.big())
      if type == "covr" || kind == 13 || kind == 14 || kind == 27 {
        take(
          Cover(
            offset: payload.offset, length: Int64(payload.remaining),
            codec: Self.pictureCodec(try payload.take(payload.remaining), kind)))
        continue
      }
      if named != nil {
        var rest = payload
        let value = TypedValue(type: kind, bytes: Array(try rest.take(rest.remaining)))
        let isTranslation = isTranslation(keySpace, key, key, language)
        take(value.tag(keySpace: keySpace, key: key, language: language))
        guard kind != 0, let text = try Self.value(of: type, kind: kind, &payload) else { continue }
        if isTranslation { addTranslation(key, text, language) } else { set(key, text) }
        continue
      }
      if type == "trkn" || type == "disk" {
        try payload.skip(2)
        let number = try payload.big(UInt16.self)
        let total = try payload.big(UInt16.self)
        let text = total > 0 ? "\(number)/\(total)" : "\(number)"
        take(text, name: type == "trkn" ? "track" : "disc", keySpace, key)
        continue
      }
      var value = payload
      if kind != 0 || Self.isNumber(type), let text = try Self.value(of: type, kind: kind, &value) {
        take(text, name: name, keySpace, key, kind: Self.kind(type, kind), language: language)
        continue
      }
      let bytes = try payload.take(payload.remaining)
      // Podcast items and items of some writers have text of the reserved type.
      if kind == 0, let text = String(validating: bytes, as: UTF8.self),
        text.unicodeScalars.allSatisfy({
          !$0.isTerminalControl || "\t\n\r".unicodeScalars.contains($0)
        })
      {
        take(text, name: name, keySpace, key, dataType: 0, language: language)
      } else if !bytes.isEmpty {
        take(
          NativeTag(keySpace: keySpace, key: key, bytes: bytes, dataType: kind, language: language))
      }
    }
  }

  /// `true` for items whose values are numbers even if their type is the reserved one.
  private static func isNumber(_ type: FourCC) -> Bool {
    type == "gnre" || ItemNames.numbers[type] != nil
  }

  /// Returns the kind of value for a well-known type.
  private static func kind(_ type: FourCC, _ kind: UInt32) -> NativeTag.Kind {
    kind == 1 || type == "gnre" ? .text : kind == 23 || kind == 24 ? .real : .integer
  }

  /// Returns the value as text (QuickTime File Format, "Well-known types").
  private static func value(of type: FourCC, kind: UInt32, _ payload: inout ByteReader)
    throws(MediaError) -> String?
  {
    if type == "gnre" {
      let number = Int(try payload.big(UInt16.self))
      return number >= 1 && number <= ID3Names.genres.count ? ID3Names.genres[number - 1] : nil
    }
    switch kind {
    case 1: return try payload.text(payload.remaining)
    case 23: return decimal(Double(Float(bitPattern: try payload.big(UInt32.self))))
    case 24: return decimal(Double(bitPattern: try payload.big(UInt64.self)))
    case 0, 21, 22, 65, 66, 67, 75, 76, 77:
      guard (1...8).contains(payload.remaining) else { return nil }
      let count = payload.remaining
      let bits = try payload.big(bytes: count)
      if kind == 22 || (75...77).contains(kind) { return "\(bits)" }
      let shift = UInt64(64 - 8 * count)
      return "\(Int64(bitPattern: bits << shift) >> Int64(shift))"
    default: return nil
    }
  }

  /// Formats a number with six decimals.
  private static func decimal(_ value: Double) -> String? {
    guard value.magnitude < 1e12 else { return nil }
    let scaled = Int64((value.magnitude * 1_000_000).rounded())
    let part = "\(scaled % 1_000_000)"
    return (value < 0 ? "-" : "") + "\(scaled / 1_000_000)."
      + String(repeating: "0", count: 6 - part.count) + part
  }

  private static func pictureCodec(_ bytes: ArraySlice<UInt8>, _ kind: UInt32) -> String {
    // The bytes are more reliable than the type: some writers confuse 13 (JPEG) and 14 (PNG).
    if let codec = PictureFile.codec(of: bytes) { return codec }
    // AVIF and HEIC have no number.
    if PictureFile.mimeType(of: bytes) != nil { return "" }
    return kind == 14 ? "png" : kind == 13 ? "mjpeg" : kind == 27 ? "bmp" : ""
  }
}
