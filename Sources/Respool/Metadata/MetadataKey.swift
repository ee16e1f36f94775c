/// A key with one meaning in every container, in the key space `common`; or a key of another key space.
public struct MetadataKey: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let commonKeyTitle = MetadataKey(rawValue: "title")
  public static let commonKeyCreator = MetadataKey(rawValue: "creator")
  public static let commonKeySubject = MetadataKey(rawValue: "subject")
  public static let commonKeyDescription = MetadataKey(rawValue: "description")
  public static let commonKeyPublisher = MetadataKey(rawValue: "publisher")
  public static let commonKeyContributor = MetadataKey(rawValue: "contributor")
  public static let commonKeyCreationDate = MetadataKey(rawValue: "creationDate")
  public static let commonKeyLastModifiedDate = MetadataKey(rawValue: "lastModifiedDate")
  public static let commonKeyType = MetadataKey(rawValue: "type")
  public static let commonKeyFormat = MetadataKey(rawValue: "format")
  public static let commonKeyIdentifier = MetadataKey(rawValue: "identifier")
  public static let commonKeySource = MetadataKey(rawValue: "source")
  public static let commonKeyLanguage = MetadataKey(rawValue: "language")
  public static let commonKeyRelation = MetadataKey(rawValue: "relation")
  public static let commonKeyLocation = MetadataKey(rawValue: "location")
  public static let commonKeyCopyrights = MetadataKey(rawValue: "copyrights")
  public static let commonKeyAlbumName = MetadataKey(rawValue: "albumName")
  public static let commonKeyAuthor = MetadataKey(rawValue: "author")
  public static let commonKeyArtist = MetadataKey(rawValue: "artist")
  public static let commonKeyArtwork = MetadataKey(rawValue: "artwork")
  public static let commonKeyMake = MetadataKey(rawValue: "make")
  public static let commonKeyModel = MetadataKey(rawValue: "model")
  public static let commonKeySoftware = MetadataKey(rawValue: "software")
  public static let commonKeyAccessibilityDescription = MetadataKey(
    rawValue: "accessibilityDescription")
}
