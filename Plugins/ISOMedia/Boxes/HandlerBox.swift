import RespoolPlugin

/// `hdlr`: the media type of a track or a metadata box (ISO/IEC 14496-12 8.4.3).
struct HandlerBox: Box {
  static let type: FourCC = "hdlr"
  /// Component type.
  ///
  /// Zero in ISO files; `mhlr` or `dhlr` in QuickTime's.
  var componentType: UInt32 = 0
  var handlerType: FourCC
  /// Manufacturer.
  ///
  /// Zero in ISO files.
  var manufacturer: UInt32 = 0
  var name: String
  /// `true` if the name begins with its length, as in QuickTime.
  ///
  /// In ISO files it ends with a zero.
  var nameIsCounted = false
}

extension HandlerBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    componentType = try reader.big()
    handlerType = FourCC(rawValue: try reader.big())
    manufacturer = try reader.big()
    try reader.skip(8)
    var text = try reader.take(reader.remaining)
    if let count = text.first, componentType != 0 || Int(count) == text.count - 1,
      count > 0, Int(count) < text.count
    {
      nameIsCounted = true
      text = text.dropFirst().prefix(Int(count))
    }
    name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(componentType)
    writer.code(handlerType)
    writer.u32(manufacturer)
    writer.zeros(8)
    if nameIsCounted {
      let text = Self.beginning(of: name, bytes: 255).utf8
      writer.u8(UInt8(text.count))
      writer.raw(text)
    } else {
      writer.raw(name.utf8)
      writer.u8(0)
    }
  }

  /// Returns as many whole characters of a text as fit a number of bytes.
  static func beginning(of text: String, bytes: Int) -> String {
    var left = bytes
    return String(
      text.prefix {
        left -= $0.utf8.count
        return left >= 0
      })
  }
}
