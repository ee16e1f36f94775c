/// Keys of QuickTime metadata, in the key space `mdta`.
extension MetadataKey {
  private static func quickTime(_ name: String) -> MetadataKey {
    MetadataKey(rawValue: "com.apple.quicktime." + name)
  }

  public static let quickTimeMetadataKeyAlbum = quickTime("album")
  public static let quickTimeMetadataKeyArtist = quickTime("artist")
  public static let quickTimeMetadataKeyArtwork = quickTime("artwork")
  public static let quickTimeMetadataKeyAuthor = quickTime("author")
  public static let quickTimeMetadataKeyComment = quickTime("comment")
  public static let quickTimeMetadataKeyContentIdentifier = quickTime("content.identifier")
  public static let quickTimeMetadataKeyCopyright = quickTime("copyright")
  /// ISO 8601.
  public static let quickTimeMetadataKeyCreationDate = quickTime("creationdate")
  public static let quickTimeMetadataKeyDescription = quickTime("description")
  public static let quickTimeMetadataKeyDirector = quickTime("director")
  public static let quickTimeMetadataKeyDisplayName = quickTime("displayname")
  public static let quickTimeMetadataKeyGenre = quickTime("genre")
  public static let quickTimeMetadataKeyInformation = quickTime("information")
  public static let quickTimeMetadataKeyKeywords = quickTime("keywords")
  /// ISO 6709: latitude, longitude, altitude.
  public static let quickTimeMetadataKeyLocationISO6709 = quickTime("location.ISO6709")
  public static let quickTimeMetadataKeyMake = quickTime("make")
  public static let quickTimeMetadataKeyModel = quickTime("model")
  public static let quickTimeMetadataKeyProducer = quickTime("producer")
  public static let quickTimeMetadataKeyPublisher = quickTime("publisher")
  public static let quickTimeMetadataKeySoftware = quickTime("software")
  public static let quickTimeMetadataKeyTitle = quickTime("title")
  public static let quickTimeMetadataKeyYear = quickTime("year")
}
