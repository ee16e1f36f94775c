import RespoolPlugin

/// A form of MPEG transport streams.
protocol TransportForm {
  static var name: String { get }
  static var longName: String { get }
  static var extensions: [String] { get }
  static var mimeTypes: [String] { get }
  /// `true` if each packet has a time stamp in front of it.
  static var hasTimeStamps: Bool { get }
}

/// Packets of 188 bytes (ISO/IEC 13818-1).
enum TransportStream: TransportForm {
  static let name = "mpegts"
  static let longName = "MPEG transport stream by FFmpeg"
  static let extensions = ["ts", "m2t"]
  static let mimeTypes = ["video/mp2t"]
  static let hasTimeStamps = false
}

/// Packets of 192 bytes, as on Blu-ray discs and in AVCHD cameras.
enum BluRayStream: TransportForm {
  static let name = "m2ts"
  static let longName = "MPEG transport stream of Blu-ray and AVCHD by FFmpeg"
  static let extensions = ["m2ts", "mts"]
  static let mimeTypes = ["video/mp2t"]
  static let hasTimeStamps = true
}
