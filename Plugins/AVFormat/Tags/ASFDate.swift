import RespoolPlugin

/// The date in the File Properties object of ASF (specification 3.2), which FFmpeg ignores.
enum ASFDate {
  /// 8CABDCA1-A947-11CF-8EE4-00C00C205365.
  private static let fileProperties: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]
  /// Microseconds from 1601 to 1970.
  private static let epoch: Int64 = 11_644_473_600_000_000

  /// Returns the creation date as `creation_time`.
  ///
  /// `nil` if the file does not store it.
  ///
  /// Throws `io` and `cancelled`.
  static func creation(in source: ByteSource) throws(MediaError) -> String? {
    // The object is one of the first in the header.
    let head = try source.read(at: 0, count: 1 << 16)
    guard head.count > 64 else { return nil }
    for place in 0..<head.count - 56
    where head[place] == fileProperties[0]
      && head[place..<place + 16].elementsEqual(fileProperties)
    {
      // The date follows the object's ID and size, the file's ID and the file's size.
      let units = head[place + 48..<place + 56].reversed().reduce(UInt64(0)) {
        $0 << 8 | UInt64($1)
      }
      guard units > 0, let tenths = Int64(exactly: units / 10) else { return nil }
      return MetadataDate.text(microseconds: tenths - epoch)
    }
    return nil
  }
}
