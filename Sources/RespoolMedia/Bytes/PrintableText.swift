extension Unicode.Scalar {
  /// `true` if a terminal acts on the character instead of showing it.
  ///
  /// These are the control characters C0 and C1 (ISO/IEC 6429), the bidirectional controls (UAX 9), which
  /// make text read in another order than it is stored in, and the two line separators of Unicode.
  package var isTerminalControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// This text with bytes of a file name that are not UTF-8 as `\xff`, and all else as it is.
  package var withShownBytes: String {
    guard unicodeScalars.contains(where: { $0.value >= PathName.firstByteScalar }) else {
      return self
    }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.value >= PathName.firstByteScalar {
        text += String(scalar).printable()
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// This text with every character escaped that a terminal acts on: `\x1b`, `\u{202e}`.
  ///
  /// Bytes of a file name that are not UTF-8 become `\xff` too. Text that comes from a file, its name
  /// included, goes through this before it is shown.
  ///
  /// - Parameter keepingLines: `true` leaves line feeds as they are, for text of several lines.
  package func printable(keepingLines: Bool = false) -> String {
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      keepingLines && scalar == "\n"
        || !scalar.isTerminalControl && scalar.value < PathName.firstByteScalar
    }
    if unicodeScalars.allSatisfy(isPlain) { return self }
    var result = ""
    for scalar in unicodeScalars {
      if isPlain(scalar) {
        result.unicodeScalars.append(scalar)
      } else if scalar.value < 0x100 || scalar.value >= PathName.firstByteScalar {
        let digits = String(scalar.value & 0xFF, radix: 16)
        result += "\\x" + (digits.count == 1 ? "0" : "") + digits
      } else {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return result
  }
}
