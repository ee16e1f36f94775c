import RespoolMedia

/// Data type of a metadata value.
///
/// Raw values are Core Media's. A QuickTime well-known type without a name here has its number as raw value. Any
/// other raw value is a custom type in reverse-address form, whose values are data.
public struct MetadataDataType: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  private init(_ name: String) { self.init(rawValue: "com.apple.metadata.datatype." + name) }

  /// Bytes of any kind.
  public static let rawData = MetadataDataType("raw-data")
  public static let utf8 = MetadataDataType("UTF-8")
  /// Big-endian.
  public static let utf16 = MetadataDataType("UTF-16")
  public static let jpeg = MetadataDataType("JPEG")
  public static let png = MetadataDataType("PNG")
  public static let bmp = MetadataDataType("BMP")
  public static let float32 = MetadataDataType("float32")
  public static let float64 = MetadataDataType("float64")
  public static let int8 = MetadataDataType("int8")
  public static let int16 = MetadataDataType("int16")
  public static let int32 = MetadataDataType("int32")
  public static let int64 = MetadataDataType("int64")
  public static let uint8 = MetadataDataType("uint8")
  public static let uint16 = MetadataDataType("uint16")
  public static let uint32 = MetadataDataType("uint32")
  public static let uint64 = MetadataDataType("uint64")
  /// Two numbers: x, y.
  public static let pointF32 = MetadataDataType("point-float32")
  /// Two numbers: width, height.
  public static let dimensionsF32 = MetadataDataType("dimensions-float32")
  /// Four numbers: x, y, width, height.
  public static let rectF32 = MetadataDataType("rect-float32")
  /// Nine numbers: a matrix, row by row.
  public static let affineTransformF64 = MetadataDataType("affine-transform-float64")
  /// Nine numbers: a matrix, row by row.
  public static let perspectiveTransformF64 = MetadataDataType(
    rawValue: "com.apple.metadata.perspective-transform-float64")
  /// Two numbers for each point: x, y.
  public static let polygonF32 = MetadataDataType("polygon-float32")

  /// Codes of the well-known types (QuickTime File Format, "Well-known types").
  private static let codes: [MetadataDataType: UInt32] = [
    .rawData: 0, .utf8: 1, .utf16: 2, .jpeg: 13, .png: 14, .float32: 23, .float64: 24, .bmp: 27,
    .int8: 65, .int16: 66, .int32: 67, .pointF32: 70, .dimensionsF32: 71, .rectF32: 72,
    .int64: 74, .uint8: 75, .uint16: 76, .uint32: 77, .uint64: 78, .affineTransformF64: 79,
    .polygonF32: 80, .perspectiveTransformF64: 83,
  ]
  private static let types = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) })

  /// Creates a data type from its form in a key table.
  init(_ stored: MetadataKeyTable.DataType) {
    switch stored {
    case .wellKnown(let code): self = Self.types[code] ?? Self(rawValue: "\(code)")
    case .named(let name): self.init(rawValue: name)
    }
  }

  /// The data type in the form of a key table.
  var stored: MetadataKeyTable.DataType {
    if let code = Self.codes[self] ?? UInt32(rawValue) { return .wellKnown(code) }
    return .named(rawValue)
  }
}

extension MetadataKeyTable.Key {
  /// Code of the well-known type of the key's values.
  ///
  /// For a custom type, that of the first well-known type that it conforms to. 0 if there is none: the values are
  /// data.
  var code: UInt32 {
    for case .wellKnown(let code) in [MetadataDataType(dataType).stored] + conformsTo {
      return code
    }
    return 0
  }
}
