/// A key together with its key space, such as `mdta/com.apple.quicktime.title`.
///
/// In the key, all characters except ASCII letters, digits and `-._~` are percent-escaped as UTF-8 bytes. The sign
/// `©` at the start of QuickTime codes is escaped as its Mac OS Roman byte: `itsk/%A9nam`.
public struct MetadataIdentifier: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public init(key: String, keySpace: MetadataKeySpace) {
    var text = keySpace.identifierPrefix + "/"
    for scalar in key.unicodeScalars {
      if scalar == "\u{A9}" {
        text += "%A9"
      } else if scalar.isASCII, Self.isPlain(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        for byte in String(scalar).utf8 {
          let hex = String(byte, radix: 16, uppercase: true)
          text += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
        }
      }
    }
    rawValue = text
  }

  /// The key space and the key.
  ///
  /// `nil` if the raw value does not have that form.
  public var parts: (keySpace: MetadataKeySpace, key: String)? {
    guard let slash = rawValue.firstIndex(of: "/"), slash > rawValue.startIndex else { return nil }
    let prefix = String(rawValue[..<slash])
    let space: MetadataKeySpace = prefix == "id3" ? .id3 : MetadataKeySpace(rawValue: prefix)
    let key = Self.unescaped(rawValue[rawValue.index(after: slash)...].utf8)
    return key.isEmpty ? nil : (space, key)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "-._~".unicodeScalars.contains(scalar)
  }

  private static func unescaped(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var latin = ""
    for byte in bytes { latin.unicodeScalars.append(Unicode.Scalar(byte)) }
    return latin
  }
}

extension MetadataIdentifier {
  private static func common(_ key: MetadataKey) -> MetadataIdentifier {
    MetadataIdentifier(key: key.rawValue, keySpace: .common)
  }

  public static let commonIdentifierTitle = common(.commonKeyTitle)
  public static let commonIdentifierCreator = common(.commonKeyCreator)
  public static let commonIdentifierSubject = common(.commonKeySubject)
  public static let commonIdentifierDescription = common(.commonKeyDescription)
  public static let commonIdentifierPublisher = common(.commonKeyPublisher)
  public static let commonIdentifierCreationDate = common(.commonKeyCreationDate)
  public static let commonIdentifierType = common(.commonKeyType)
  public static let commonIdentifierLanguage = common(.commonKeyLanguage)
  public static let commonIdentifierLocation = common(.commonKeyLocation)
  public static let commonIdentifierCopyrights = common(.commonKeyCopyrights)
  public static let commonIdentifierAlbumName = common(.commonKeyAlbumName)
  public static let commonIdentifierAuthor = common(.commonKeyAuthor)
  public static let commonIdentifierArtist = common(.commonKeyArtist)
  public static let commonIdentifierArtwork = common(.commonKeyArtwork)
  public static let commonIdentifierMake = common(.commonKeyMake)
  public static let commonIdentifierModel = common(.commonKeyModel)
  public static let commonIdentifierSoftware = common(.commonKeySoftware)

  /// A location in ISO 6709, such as `+48.1371+011.5754/`: latitude, longitude, altitude.
  public static let quickTimeMetadataLocationISO6709 = MetadataIdentifier(
    key: MetadataKey.quickTimeMetadataKeyLocationISO6709.rawValue, keySpace: .quickTimeMetadata)
}
