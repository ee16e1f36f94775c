import RespoolMedia

/// One piece of metadata: a key of a key space and its value.
///
/// Items of a file say where in it they stand. Items that are made to be written may have a common key; the
/// container's own is found for them.
public struct MetadataItem: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case real(Double)
    /// Such as the bytes of a JPEG or PNG picture.
    case data([UInt8])
    /// As many as the data type has, such as a point's x and y.
    case numbers([Double])
  }

  /// Nil: neither key nor identifier has been set.
  public var keySpace: MetadataKeySpace? { didSet { storedName = nil } }
  /// As the key space spells it, such as `©nam`, `TIT2` or `com.apple.quicktime.title`.
  public var key: String? { didSet { storedName = nil } }
  public var value: Value?
  /// BCP 47, such as `de-CH`; nil where the language is not known or there is none.
  public var extendedLanguageTag: String?
  /// How the value is stored in QuickTime metadata and in tracks of timed metadata; nil: as suits the value.
  public var dataType: MetadataDataType?
  /// When it holds, for what is read of a part of the time line; invalid for what is of the whole.
  ///
  /// What is written holds for the time of its group, whatever is told here; items are equal without it.
  public var time = MediaTime.invalid
  /// For how long; as `time`.
  public var duration = MediaTime.invalid
  /// FFmpeg's name, where the item is from a file and has one.
  private var storedName: String?

  /// An item without key and value, to be filled in.
  public init() {}

  public init(
    identifier: MetadataIdentifier, value: Value, extendedLanguageTag: String? = nil
  ) {
    self.identifier = identifier
    self.value = value
    self.extendedLanguageTag = extendedLanguageTag
  }

  /// An item of a common key.
  public init(_ key: MetadataKey, _ value: String) {
    (self.keySpace, self.key, self.value) = (.common, key.rawValue, .string(value))
  }

  /// An item by FFmpeg's name, such as `handler_name`, for what has no common key.
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

  /// The language and, where it is told, the country, as identifiers of locales are written: `de_CH`.
  ///
  /// The same as `extendedLanguageTag` in another form; setting it sets both.
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
  /// Nil where one of them is missing. What has not the form of an identifier takes both away.
  public var identifier: MetadataIdentifier? {
    get {
      guard let key, let keySpace else { return nil }
      return MetadataIdentifier(key: key, keySpace: keySpace)
    }
    set { (keySpace, key) = newValue?.parts.map { ($0.keySpace, $0.key) } ?? (nil, nil) }
  }

  /// What the key means in every container; nil where there is no common key for it.
  public var commonKey: MetadataKey? {
    guard let key, let keySpace else { return nil }
    if keySpace == .common { return MetadataKey(rawValue: key) }
    if MetadataNames.artwork.contains(key) { return .commonKeyArtwork }
    return tagName.flatMap { MetadataNames.commonKeys[$0.lowercased()] }
  }

  /// FFmpeg's name for the key, which is what muxers go by; nil where there is no key.
  var tagName: String? {
    guard let key, let keySpace else { return nil }
    if let storedName, !storedName.isEmpty { return MetadataNames.plain(storedName) }
    return MetadataNames.name(of: key, in: keySpace)
  }
}

extension MetadataItem {
  /// The value as text; nil for data and several numbers.
  public var stringValue: String? {
    switch value {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .data, .numbers, nil: nil
    }
  }

  /// The value as a number; nil for data, several numbers and text that is none.
  public var numberValue: Double? {
    switch value {
    case .string(let text): Double(text)
    case .integer(let number): Double(number)
    case .real(let number): number
    case .data, .numbers, nil: nil
    }
  }

  /// The value's bytes; nil for what is not data.
  public var dataValue: [UInt8]? {
    if case .data(let bytes) = value { bytes } else { nil }
  }

  /// The value as a date: seconds since the beginning of 1970, UTC; nil for text that is none.
  ///
  /// Takes the forms of ISO 8601 that files have: a year, a day, or a day and a time with or without a
  /// zone, which is UTC where it is not told.
  public var dateValue: Double? {
    if case .string(let text) = value { MetadataDate.seconds(text) } else { nil }
  }
}
