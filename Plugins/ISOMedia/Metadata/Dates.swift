import RespoolPlugin

/// Dates of ISO files, counted in seconds from 1904-01-01 UTC (ISO/IEC 14496-12 8.2.2.3).
enum Dates {
  /// Seconds from 1904 to 1970.
  private static let to1970: UInt64 = 2_082_844_800

  /// Returns FFmpeg's `creation_time`; `nil` if the file does not store a date.
  static func text(_ seconds: UInt64) -> String? {
    // Some writers count from 1970.
    guard seconds > 0, seconds < 1 << 40 else { return nil }
    let unix = seconds >= to1970 ? seconds - to1970 : seconds
    return MetadataDate.text(microseconds: Int64(unix) * 1_000_000)
  }

  /// `true` if the header field can store a `creation_time` exactly: whole seconds in FFmpeg's spelling.
  static func isStored(_ entry: MetadataEntry) -> Bool {
    entry.name.lowercased() == MetadataDate.creationTime
      && text(creationTime([entry])) == entry.value
  }

  /// Returns the header field for the `creation_time` in `metadata`.
  ///
  /// 0 if there is none.
  ///
  /// Fractions of a second are rounded down.
  static func creationTime(_ metadata: [MetadataEntry]) -> UInt64 {
    let entry = metadata.first { $0.name.lowercased() == MetadataDate.creationTime }
    guard let seconds = entry.flatMap({ MetadataDate.seconds($0.value) }) else { return 0 }
    let since1904 = seconds.rounded(.down) + Double(to1970)
    guard since1904 > 0, since1904 < Double(UInt64(1) << 40) else { return 0 }
    return UInt64(since1904)
  }
}
