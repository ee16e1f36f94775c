import RespoolPlugin

/// A check of compressed image data, which decoders conceal when it is damaged (GIF89a specification, appendix F).
///
/// Follows the codes with the lengths of their strings, without the pixels.
struct LZWCheck {
  private let codeSize: Int
  private let pixelCount: Int
  /// Number of pixels of each code; 0 for codes that are not in the table.
  private var lengths: [Int]
  private var width: Int
  private var nextCode: Int
  /// Length of the string of the previous code; 0 after a clear code.
  private var previous = 0
  private var bits = 0
  private var bitCount = 0
  private var pixels = 0
  private var hasEnded = false
  private var fault: String?

  private static let mostCodes = 4096

  /// Creates a check of an image of `pixelCount` pixels whose data begins with the code size `codeSize`.
  init(codeSize: Int, pixelCount: Int) {
    (self.codeSize, self.pixelCount) = (codeSize, pixelCount)
    // The specification has 2 to 8; some writers store 1 for two colors.
    guard (1...8).contains(codeSize) else {
      fault = "states a code size of \(codeSize) bits; it must have 2 to 8"
      (lengths, width, nextCode) = ([], 0, 0)
      return
    }
    lengths = Array(repeating: 0, count: Self.mostCodes)
    for code in 0..<1 << codeSize { lengths[code] = 1 }
    (width, nextCode) = (codeSize + 1, 1 << codeSize + 2)
  }

  private var clearCode: Int { 1 << codeSize }

  /// Follows the codes in the next bytes.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      guard fault == nil, !hasEnded else { return }
      bits |= Int(byte) << bitCount
      bitCount += 8
      while bitCount >= width, fault == nil, !hasEnded {
        let code = bits & (1 << width - 1)
        bits >>= width
        bitCount -= width
        take(code)
      }
    }
  }

  private mutating func take(_ code: Int) {
    if code == clearCode {
      (width, nextCode, previous) = (codeSize + 1, clearCode + 2, 0)
      return
    }
    if code == clearCode + 1 {
      hasEnded = true
      return
    }
    // The next code stands for the previous string and its first pixel.
    let isNew = code == nextCode && previous > 0 && nextCode < Self.mostCodes
    guard code < min(nextCode, Self.mostCodes) || isNew else {
      fault = "has the LZW code \(code), which is not in the table"
      return
    }
    let length = isNew ? previous + 1 : lengths[code]
    pixels += length
    if pixels > pixelCount {
      fault = "has more than its \(pixelCount.counting("pixel"))"
      return
    }
    if previous > 0, nextCode < Self.mostCodes {
      lengths[nextCode] = previous + 1
      nextCode += 1
      // Codes become longer with the table, up to 12 bits.
      if nextCode == 1 << width, width < 12 { width += 1 }
    }
    previous = length
  }

  /// Damage of the data; `nil` if there is none.
  var problem: String? {
    if let fault { return fault }
    // Some writers leave out the end code.
    return pixels < pixelCount ? "has \(pixels) of \(pixelCount.counting("pixel"))" : nil
  }
}
