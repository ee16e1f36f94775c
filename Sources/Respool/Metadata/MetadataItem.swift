import RespoolMedia

/// An item of metadata: a key of a key space and its value.
///
/// Items of a file have the key space and key that the file stores. Items to be written may have a common key; it is
/// mapped to the container's own key.
public struct MetadataItem: Hashable, Sendable {
  /// Value of an item: text, a number, bytes, or several numbers.
  public enum Value: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case real(Double)
    /// Bytes, such as those of a JPEG or PNG image.
    case data([UInt8])
    /// The numbers of a data type with several, such as x and y of a point.
    case numbers([Double])
  }

  /// Key space of the key.
  ///
  /// `nil` if neither key nor identifier has been set.
  public var keySpace: MetadataKeySpace? { didSet { storedName = nil } }
  /// Key as the key space spells it, such as `©nam`, `TIT2` or `com.apple.quicktime.title`.
  public var key: String? { didSet { storedName = nil } }
  public var value: Value?
  /// BCP 47 tag, such as `de-CH`.
  ///
  /// `nil` if there is no language or it is unknown.
  public var extendedLanguageTag: String?
  /// Data type in QuickTime metadata and in tracks of timed metadata.
  ///
  /// `nil` to derive it from the value.
  public var dataType: MetadataDataType?
  /// Start of the time in which an item of timed metadata or of a chapter applies.
  ///
  /// Invalid for items of the whole file.
  ///
  /// Ignored when writing, where items apply for the time of their group, and when comparing items.
  public var time = MediaTime.invalid
  /// Duration of the time in which the item applies; otherwise as `time`.
  public var duration = MediaTime.invalid
  /// FFmpeg's name, if the item was read from a file and has one.
  private var storedName: String?

  /// Creates an item without key and value, to be filled in.
  public init() {}

  public init(
    identifier: MetadataIdentifier, value: Value, extendedLanguageTag: String? = nil
  ) {
    self.identifier = identifier
    self.value = value
    self.extendedLanguageTag = extendedLanguageTag
  }

  /// Creates an item of a common key.
  public init(_ key: MetadataKey, _ value: String) {
    (self.keySpace, self.key, self.value) = (.common, key.rawValue, .string(value))
  }

  /// Creates an item by FFmpeg's name, such as `handler_name`, if there is no common key.
  public init(name: String, _ value: String) {
    (self.keySpace, self.key, self.value) = (.unspecified, name, .string(value))
  }

  init(keySpace: MetadataKeySpace, key: String, value: Value, name: String?, language: String?) {
    (self.keySpace, self.key, self.value) = (keySpace, key, value)
    extendedLanguageTag = language
    storedName = name
  }

  public static func == (a: MetadataItem, b: MetadataItem) -> Bool {
    a.keySpace == b.keySpace && a.key == b.key && a.value == b.value
      && a.extendedLanguageTag == b.extendedLanguageTag && a.dataType == b.dataType
      && a.storedName == b.storedName
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(keySpace)
    hasher.combine(key)
    hasher.combine(value)
    hasher.combine(extendedLanguageTag)
    hasher.combine(dataType)
    hasher.combine(storedName)
  }

  /// The language and, if known, the country, in the form of locale identifiers: `de_CH`.
  ///
  /// The value of `extendedLanguageTag` in another form; setting one sets both.
  public var locale: String? {
    get {
      extendedLanguageTag.map { String($0.map { $0 == "-" ? "_" : $0 }) }
    }
    set {
      extendedLanguageTag = newValue.map { String($0.map { $0 == "_" ? "-" : $0 }) }
    }
  }

  /// The key with its key space; setting it sets both.
  ///
  /// `nil` if one of them is missing. Setting an invalid identifier removes both.
  public var identifier: MetadataIdentifier? {
    get {
      guard let key, let keySpace else { return nil }
      return MetadataIdentifier(key: key, keySpace: keySpace)
    }
    set { (keySpace, key) = newValue?.parts.map { ($0.keySpace, $0.key) } ?? (nil, nil) }
  }

  /// Common key with the meaning of this item's key.
  ///
  /// `nil` if there is none.
  public var commonKey: MetadataKey? {
    guard let key, let keySpace else { return nil }
    if keySpace == .common { return MetadataKey(rawValue: key) }
    if MetadataNames.artwork.contains(key) { return .commonKeyArtwork }
    return tagName.flatMap { MetadataNames.commonKeys[$0.lowercased()] }
  }

  /// FFmpeg's name for the key, which muxers use.
  ///
  /// `nil` if there is no key.
  var tagName: String? {
    guard let key, let keySpace else { return nil }
    if let storedName, !storedName.isEmpty { return MetadataNames.plain(storedName) }
    return MetadataNames.name(of: key, in: keySpace)
  }
}

extension MetadataItem {
  /// The value as text.
  ///
  /// `nil` for data and several numbers.
  public var stringValue: String? {
    switch value {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .data, .numbers, nil: nil
    }
  }

  /// The value as a number.
  ///
  /// `nil` for data, several numbers and text that is not a number.
  public var numberValue: Double? {
    switch value {
    case .string(let text): Double(text)
    case .integer(let number): Double(number)
    case .real(let number): number
    case .data, .numbers, nil: nil
    }
  }

  /// The bytes of the value.
  ///
  /// `nil` if it is not data.
  public var dataValue: [UInt8]? {
    if case .data(let bytes) = value { bytes } else { nil }
  }

  /// The value as a date.
  ///
  /// Seconds since the beginning of 1970, UTC. `nil` if it is not text with a date.
  ///
  /// Accepts the forms of ISO 8601 that files have: a year, a day, or a day and a time. A time without a zone is UTC.
  public var dateValue: Double? {
    if case .string(let text) = value { MetadataDate.seconds(text) } else { nil }
  }
}
