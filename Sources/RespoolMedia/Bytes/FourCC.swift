/// A code of four characters, as containers name their elements and codecs.
public struct FourCC: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
  /// The first character is in the highest byte, as a big-endian file is read.
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates a code from four characters of Latin-1.
  ///
  /// Shorter text is padded with spaces, longer text is cut.
  public init(_ text: String) {
    var value: UInt32 = 0
    let scalars = Array(text.unicodeScalars.prefix(4))
    for index in 0..<4 {
      let scalar = index < scalars.count ? scalars[index].value : 0x20
      value = value << 8 | (scalar & 0xFF)
    }
    rawValue = value
  }

  public init(stringLiteral text: String) { self.init(text) }

  /// The code with its first character in the lowest byte, as `TrackDescription.codecTag` has it.
  public var tag: UInt32 { rawValue.byteSwapped }

  /// `true` if the code is that of a sample entry for encrypted samples (ISO/IEC 14496-12 8.12; `drmi` and `drms`
  /// are from iTunes).
  public var isProtectedEntry: Bool { Self.protectedEntries.contains(self) }

  private static let protectedEntries: Set<FourCC> = [
    "encv", "enca", "enct", "encs", "drmi", "drms",
  ]
}

extension FourCC: CustomStringConvertible {
  /// The four characters, with unprintable ones as `\xNN`.
  public var description: String {
    var text = ""
    for shift in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift))
      if (0x20..<0x7F).contains(byte) || byte == 0xA9 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        text += "\\x" + (hex.count == 1 ? "0" : "") + hex
      }
    }
    return text
  }
}
