/// Numbers of the fields that are used (CIPA DC-008-2023 4.6).
enum ExifTag: UInt16 {
  case imageWidth = 0x100
  case imageHeight = 0x101
  case description = 0x10E
  case make = 0x10F
  case model = 0x110
  case orientation = 0x112
  case artist = 0x13B
  case copyright = 0x8298
  case exifDirectory = 0x8769
  case positionDirectory = 0x8825
  case takenAt = 0x9003
  case takenAtZone = 0x9011
  case takenAtFraction = 0x9291
  case pixelWidth = 0xA002
  case pixelHeight = 0xA003

  /// Fields of the directory with the position.
  static let latitudeSide: UInt16 = 1
  static let latitude: UInt16 = 2
  static let longitudeSide: UInt16 = 3
  static let longitude: UInt16 = 4
  static let altitudeSide: UInt16 = 5
  static let altitude: UInt16 = 6
}
