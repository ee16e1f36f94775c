public import RespoolMedia

/// Identifier, data type and language of items in a track of timed metadata.
public struct MetadataSpecification: Hashable, Sendable {
  public var identifier: MetadataIdentifier
  public var dataType: MetadataDataType
  /// BCP 47 tag.
  ///
  /// `nil` if meant for all languages.
  public var extendedLanguageTag: String?
  /// Types that the values of a custom data type can be read and written as.
  ///
  /// Data if empty.
  public var conformingDataTypes: [MetadataDataType]

  public init(
    identifier: MetadataIdentifier, dataType: MetadataDataType,
    extendedLanguageTag: String? = nil, conformingDataTypes: [MetadataDataType] = []
  ) {
    self.identifier = identifier
    self.dataType = dataType
    self.extendedLanguageTag = extendedLanguageTag
    self.conformingDataTypes = conformingDataTypes
  }
}

extension FormatDescription {
  /// Creates the format of a track of timed metadata whose items each have one of these specifications.
  ///
  /// Throws `invalidArgument` if there are none, and for identifiers without a key or with a key space that is not
  /// four ASCII characters, as tracks require.
  public convenience init(metadataSpecifications: [MetadataSpecification]) throws(MediaError) {
    var keys: [MetadataKeyTable.Key] = []
    for (index, one) in metadataSpecifications.enumerated() {
      guard metadataSpecifications.firstIndex(of: one) == index else { continue }
      keys.append(try MetadataKeyTable.Key(one, localID: UInt32(clamping: keys.count + 1)))
    }
    guard !keys.isEmpty else {
      throw MediaError(.invalidArgument, "a track of timed metadata needs at least one key")
    }
    // Times are in the time base of the first group.
    var track = TrackDescription(kind: .data, codec: "mebx", timeBase: .unknown)
    track.extradata = MetadataKeyTable(keys: keys).extradata
    self.init(track)
  }

  /// The specifications of items that a track of timed metadata may have.
  ///
  /// Empty for other formats.
  public var metadataSpecifications: [MetadataSpecification] {
    guard let table = try? TimedMetadataCoding(self) else { return [] }
    return table.keys.map(\.specification)
  }
}

extension MetadataKeyTable.Key {
  fileprivate init(_ specification: MetadataSpecification, localID: UInt32) throws(MediaError) {
    let identifier = specification.identifier
    guard let (keySpace, key) = identifier.parts, keySpace.rawValue.utf8.count == 4,
      keySpace.rawValue.unicodeScalars.allSatisfy(\.isASCII)
    else {
      throw MediaError(
        .invalidArgument,
        "\"\(identifier.rawValue)\" cannot be a track's identifier: expected a key space of four "
          + "letters, such as mdta, and a key")
    }
    // Four-character codes have one byte for each character, including QuickTime's `©`.
    let scalars = key.unicodeScalars
    let isCode = keySpace != .quickTimeMetadata && scalars.count == 4
    self.init(
      localID: localID, namespace: FourCC(keySpace.rawValue),
      name: isCode && scalars.allSatisfy { $0.value < 0x100 }
        ? scalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(key.utf8),
      dataType: specification.dataType.stored, language: specification.extendedLanguageTag)
    conformsTo = specification.conformingDataTypes.map(\.stored)
  }

  var specification: MetadataSpecification {
    let text =
      String(validating: name, as: UTF8.self)
      ?? String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))
    return MetadataSpecification(
      identifier: MetadataIdentifier(
        key: text, keySpace: MetadataKeySpace(rawValue: namespace.description)),
      dataType: MetadataDataType(dataType), extendedLanguageTag: language,
      conformingDataTypes: conformsTo.map { MetadataDataType($0) })
  }
}
