/// Names of the code points of ITU-T H.273, as FFmpeg spells them.
extension ColorDescription {
  /// `nil` if unspecified or reserved.
  public var primariesName: String? { Self.primariesNames[primaries] }
  /// `nil` if unspecified or reserved.
  public var transferName: String? { Self.transferNames[transfer] }
  /// `PQ` or `HLG`; `nil` for other transfer functions.
  package var highDynamicRangeName: String? {
    switch transfer {
    case H273.Transfer.pq: "PQ"
    case H273.Transfer.hlg: "HLG"
    default: nil
    }
  }
  /// `nil` if unspecified or reserved.
  public var matrixName: String? { Self.matrixNames[matrix] }
  /// `limited` or `full`; `nil` if unspecified.
  public var rangeName: String? {
    switch range {
    case .unspecified: nil
    case .limited: "limited"
    case .full: "full"
    }
  }

  // Clause 8.1.
  private static let primariesNames: [UInt8: String] = [
    1: "bt709", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "film", 9: "bt2020",
    10: "smpte428", 11: "smpte431", 12: "smpte432", 22: "ebu3213",
  ]

  // Clause 8.2.
  private static let transferNames: [UInt8: String] = [
    1: "bt709", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "linear",
    9: "log100", 10: "log316", 11: "iec61966-2-4", 12: "bt1361e", 13: "iec61966-2-1",
    14: "bt2020-10", 15: "bt2020-12", 16: "smpte2084", 17: "smpte428", 18: "arib-std-b67",
  ]

  // Clause 8.3.
  private static let matrixNames: [UInt8: String] = [
    0: "gbr", 1: "bt709", 4: "fcc", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "ycgco",
    9: "bt2020nc", 10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc",
    13: "chroma-derived-c", 14: "ictcp",
  ]
}
