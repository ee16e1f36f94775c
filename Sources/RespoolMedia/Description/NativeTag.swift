/// A tag as the container stores it, with its key space and key.
public struct NativeTag: Hashable, Sendable {
  /// The type of the value.
  ///
  /// `value` is always its text form.
  public enum Kind: UInt32, Hashable, Sendable {
    case text = 0
    case integer
    case real
    /// Bytes, written as two hexadecimal digits each.
    case data
  }

  /// Key space: `itsk`, `mdta`, `udta`, `org.id3` and others.
  public var keySpace: String
  /// Key as the container spells it, such as `\u{A9}nam`.
  public var key: String
  /// Name as FFmpeg spells it.
  ///
  /// Empty if FFmpeg has no name for the key.
  public var name: String
  public var value: String
  public var kind: Kind
  /// Code of the data type with which QuickTime metadata stores the value (QuickTime File Format, "Well-known
  /// types").
  ///
  /// `nil`: the muxer chooses one.
  public var dataType: UInt32?
  /// BCP 47 or ISO 639-2.
  ///
  /// `nil` if not stored.
  public var language: String?
  /// Index of the track that the tag belongs to.
  ///
  /// `nil`: the whole file.
  public var track: Int?

  public init(
    keySpace: String, key: String, name: String = "", value: String, kind: Kind = .text,
    dataType: UInt32? = nil, language: String? = nil, track: Int? = nil
  ) {
    self.keySpace = keySpace
    self.key = key
    self.name = name
    self.value = value
    self.kind = kind
    self.dataType = dataType
    self.language = language
    self.track = track
  }

  /// Creates a tag of the kind `data` from bytes.
  public init(
    keySpace: String, key: String, name: String = "", bytes: some Sequence<UInt8>,
    dataType: UInt32?, language: String? = nil
  ) {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    self.init(
      keySpace: keySpace, key: key, name: name, value: String(decoding: text, as: UTF8.self),
      kind: .data, dataType: dataType, language: language)
  }

  /// The bytes of a tag of the kind `data`.
  ///
  /// `nil` for other kinds and if `value` is not hexadecimal.
  public var bytes: [UInt8]? {
    let digits = Array(value.utf8)
    guard kind == .data, digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.number(digits[place]), let low = Self.number(digits[place + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value, also of data of the type UTF-8, which QuickTime metadata may have.
  public var text: String {
    guard kind == .data, dataType == 1, let bytes else { return value }
    return String(validating: bytes, as: UTF8.self) ?? value
  }

  private static func number(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
