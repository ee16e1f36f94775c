import RespoolPlugin

/// Timestamps within the text of WebVTT cues, which Matroska stores relative to the block ("S_TEXT/WEBVTT").
enum CueTimestamps {
  /// Returns text with its timestamps, such as `<00:00:01.500>`, moved by milliseconds, but not before 0.
  static func moved(_ text: [UInt8], by milliseconds: Int64) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      let tag = rest[(open + 1)...].prefix { $0 != UInt8(ascii: ">") }
      result += rest[...open]
      rest = rest[(open + 1)...]
      guard tag.endIndex < text.endIndex, let time = time(tag) else { continue }
      result += Array(clock(max(0, time.addingClamped(milliseconds))).utf8)
      rest = text[tag.endIndex...]
    }
    return milliseconds == 0 ? text : result + rest
  }

  /// Returns the milliseconds of a time with hours or without; `nil` for another tag.
  private static func time(_ tag: ArraySlice<UInt8>) -> Int64? {
    let parts = tag.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
    let seconds = last.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard seconds.count == 2, seconds[1].count == 3 else { return nil }
    var numbers: [Int64] = []
    for part in parts.dropLast() + seconds {
      guard (1...9).contains(part.count),
        let number = Int64(String(decoding: part, as: UTF8.self)), number >= 0
      else { return nil }
      numbers.append(number)
    }
    let minutes = numbers.dropLast(2).reduce(0) { $0 * 60 + $1 }
    return (minutes * 60 + numbers[numbers.count - 2]) * 1000 + numbers[numbers.count - 1]
  }

  private static func clock(_ milliseconds: Int64) -> String {
    func pad(_ value: Int64, _ digits: Int) -> String {
      let text = "\(value)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let seconds = milliseconds / 1000
    return pad(seconds / 3600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2)
      + "." + pad(milliseconds % 1000, 3)
  }
}
