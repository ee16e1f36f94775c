/// Media that is stored in another file than the written one.
public struct MediaReference: Hashable, Sendable {
  /// Path of the other file.
  ///
  /// Relative to the folder of the written file unless it begins with a slash.
  public var path: String
  /// In bytes.
  public var offset: Int64
  /// In bytes.
  public var length: Int64

  public init(path: String, offset: Int64, length: Int64) {
    (self.path, self.offset, self.length) = (path, offset, length)
  }

  /// Parses the payload of a packet with the flag `isReference`.
  ///
  /// Throws `malformed` if the payload does not name a file and a range in it.
  public init(_ payload: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(payload))
    offset = try reader.big()
    length = try reader.big()
    path = PathName.text(try reader.take(reader.remaining))
    guard offset >= 0, length > 0, !offset.addingReportingOverflow(length).overflow, !path.isEmpty
    else {
      throw MediaError(
        .malformed, "a reference is not valid: \(length.counting("byte")) at \(offset) of \(path)")
    }
  }

  public var payload: [UInt8] {
    [offset, length].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
      + PathName.bytes(path)
  }
}
