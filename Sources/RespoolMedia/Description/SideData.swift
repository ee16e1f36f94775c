/// Bytes that belong to a file, a track, a packet or a frame and have no property of their own.
///
/// Examples are the mastering display and the light levels of HDR10, a Dolby Vision configuration, and closed
/// captions. A stage that does not know a type passes it on unchanged.
public struct SideData: Hashable, Sendable {
  /// The code of the box that ISO/IEC 14496-12, -15 or an extension of them defines for the data, such as
  /// `mdcv`.
  ///
  /// Data for which there is no such box has a code of its own; see the constants of this type.
  public var type: FourCC
  /// The body of the box.
  ///
  /// The body of a full box begins with its version and flags.
  public var bytes: [UInt8]

  public init(_ type: FourCC, _ bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }
}

extension Sequence where Element == SideData {
  /// The bytes of the first record of `type`; `nil` if no record has that type.
  public subscript(type: FourCC) -> [UInt8]? { first { $0.type == type }?.bytes }
}

extension [SideData] {
  /// Replaces the records of `type` with one that holds `bytes`, or removes them if `bytes` is `nil`.
  public mutating func set(_ type: FourCC, _ bytes: [UInt8]?) {
    let place = firstIndex { $0.type == type } ?? endIndex
    removeAll { $0.type == type }
    if let bytes { insert(SideData(type, bytes), at: Swift.min(place, endIndex)) }
  }
}
