public import RespoolMedia

/// One form in which items stand in a track of timed metadata.
public struct MetadataSpecification: Hashable, Sendable {
  public var identifier: MetadataIdentifier
  public var dataType: MetadataDataType
  /// BCP 47; nil: meant for all languages.
  public var extendedLanguageTag: String?
  /// What values of a data type of somebody's own can be read and written as; none: data.
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
  /// Timed metadata whose items have one of these forms each.
  ///
  /// Throws `invalidArgument` where there is none, and for identifiers whose key space has not four ASCII
  /// letters, which is how tracks tell it.
  public convenience init(metadataSpecifications: [MetadataSpecification]) throws(MediaError) {
    var keys: [MetadataKeyTable.Key] = []
    for (index, one) in metadataSpecifications.enumerated() {
      guard metadataSpecifications.firstIndex(of: one) == index else { continue }
      keys.append(try MetadataKeyTable.Key(one, localID: UInt32(clamping: keys.count + 1)))
    }
    guard !keys.isEmpty else {
      throw MediaError(.invalidArgument, "a track of timed metadata needs at least one key")
    }
    // Times are in the unit of the first group.
    var track = TrackDescription(kind: .data, codec: "mebx", timeBase: .unknown)
    track.extradata = MetadataKeyTable(keys: keys).extradata
    self.init(track)
  }

  /// The forms of items that a track of timed metadata may have; none for other formats.
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
        "\"\(identifier.rawValue)\" cannot stand in a track: that takes a key space of four letters, "
          + "such as mdta, and a key")
    }
    // Codes of four characters have one byte each, QuickTime's sign among them.
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
