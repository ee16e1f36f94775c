/// Base64 with padding (RFC 4648 4).
public enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var value: UInt32 = 0
      for index in 0..<3 {
        value = value << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        let digit = Int(value >> UInt32(18 - 6 * index) & 63)
        text.append(index <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text up to the first `=`; returns `nil` if a character is not in the Base64 alphabet.
  public static func decode(_ text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    var result: [UInt8] = []
    var value: UInt32 = 0
    var bits = 0
    for digit in text.utf8 {
      if digit == UInt8(ascii: "=") { break }
      let number = values[Int(digit)]
      guard number < 64 else { return nil }
      value = value << 6 | UInt32(number)
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
      }
    }
    return result
  }
}
