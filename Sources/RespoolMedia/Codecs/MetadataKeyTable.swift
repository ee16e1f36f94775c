/// The keys of a track of timed metadata (QuickTime File Format, "Timed metadata media"; ISO/IEC 14496-12 12.9).
///
/// They are stored in a `mebx` sample entry after the fields common to all sample entries. The extradata of such
/// a track is this table.
public struct MetadataKeyTable: Hashable, Sendable {
  /// The data type of a key's values.
  public enum DataType: Hashable, Sendable {
    /// A code of QuickTime's well-known types. 0 if not stored.
    case wellKnown(UInt32)
    /// A custom type, in reverse-address form.
    case named(String)
  }

  /// One key in one form: another language or data type is another key.
  public struct Key: Hashable, Sendable {
    /// Number by which samples refer to the key.
    ///
    /// Never 0 or 0xFFFFFFFF, which mean no key.
    public var localID: UInt32
    /// Namespace of the name, such as `mdta`.
    public var namespace: FourCC
    public var name: [UInt8]
    public var dataType: DataType
    /// Types as which values of a custom type can be read.
    public var conformsTo: [DataType] = []
    /// BCP 47.
    ///
    /// `nil`: all languages.
    public var language: String?

    public init(
      localID: UInt32, namespace: FourCC, name: [UInt8], dataType: DataType,
      language: String? = nil
    ) {
      self.localID = localID
      self.namespace = namespace
      self.name = name
      self.dataType = dataType
      self.language = language
    }
  }

  public var keys: [Key]

  public init(keys: [Key]) { self.keys = keys }

  /// Parses extradata; keys that are damaged are left out.
  ///
  /// Throws `malformed` where no key is left.
  public init(extradata: [UInt8]) throws(MediaError) {
    keys = []
    var reader = ByteReader(extradata)
    while let (type, payload) = reader.nextAtom() {
      guard type == "keys" else { continue }
      var list = payload
      while let (localID, body) = list.nextAtom() {
        guard let key = Key(localID.rawValue, body),
          !keys.contains(where: { $0.localID == key.localID })
        else { continue }
        keys.append(key)
        // Each is looked for among those before it; files have a handful.
        guard keys.count < Self.mostKeys else { return }
      }
    }
    guard !keys.isEmpty else {
      throw MediaError(
        .malformed, "a track of timed metadata has no table of its keys", path: "stsd/mebx/keys")
    }
  }

  /// More are not read.
  public static let mostKeys = 1024

  /// The table as extradata.
  public var extradata: [UInt8] { Self.atom("keys", keys.flatMap(\.atom)) }

  fileprivate static func atom(_ type: FourCC, _ payload: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0] + type.rawValue.bigEndianBytes
    bytes += payload
    bytes.replaceSubrange(0..<4, with: UInt32(clamping: bytes.count).bigEndianBytes)
    return bytes
  }
}

extension MetadataKeyTable.Key {
  /// Parses a key; `nil` if its local number is reserved or it has no declaration.
  fileprivate init?(_ localID: UInt32, _ reader: ByteReader) {
    guard localID != 0, localID != .max else { return nil }
    var reader = reader
    var declaration: (FourCC, [UInt8])?
    var type = MetadataKeyTable.DataType.wellKnown(0)
    var (conforming, language): ([MetadataKeyTable.DataType], String?) = ([], nil)
    while case (let atom, var payload)? = reader.nextAtom() {
      switch atom {
      case "keyd":
        guard payload.remaining > 4, let namespace = try? payload.big(UInt32.self) else { continue }
        declaration = (FourCC(rawValue: namespace), Array(payload.rest))
      case "dtyp": type = MetadataKeyTable.DataType(payload)
      case "ctps":
        while let (kind, body) = payload.nextAtom() {
          if kind == "dtyp" { conforming.append(MetadataKeyTable.DataType(body)) }
        }
      case "loca":
        let tag = payload.rest.prefix { $0 != 0 }
        if !tag.isEmpty { language = String(decoding: tag, as: UTF8.self) }
      default: break
      }
    }
    guard let (namespace, name) = declaration else { return nil }
    self.init(
      localID: localID, namespace: namespace, name: name, dataType: type, language: language)
    conformsTo = conforming
  }

  fileprivate var atom: [UInt8] {
    let declaration = namespace.rawValue.bigEndianBytes + name
    var payload = MetadataKeyTable.atom("keyd", declaration) + dataType.atom
    if let language { payload += MetadataKeyTable.atom("loca", Array(language.utf8) + [0]) }
    if !conformsTo.isEmpty { payload += MetadataKeyTable.atom("ctps", conformsTo.flatMap(\.atom)) }
    return MetadataKeyTable.atom(FourCC(rawValue: localID), payload)
  }
}

extension MetadataKeyTable.DataType {
  fileprivate init(_ reader: ByteReader) {
    var reader = reader
    self = .wellKnown(0)
    guard let namespace = try? reader.big(UInt32.self) else { return }
    if namespace == 0, let code = try? reader.big(UInt32.self) { self = .wellKnown(code) }
    if namespace == 1 { self = .named(String(decoding: reader.rest, as: UTF8.self)) }
  }

  fileprivate var atom: [UInt8] {
    switch self {
    case .wellKnown(let code):
      MetadataKeyTable.atom("dtyp", UInt32(0).bigEndianBytes + code.bigEndianBytes)
    case .named(let name): MetadataKeyTable.atom("dtyp", UInt32(1).bigEndianBytes + name.utf8)
    }
  }
}
