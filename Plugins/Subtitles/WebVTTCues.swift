import RespoolPlugin

/// The header and the cues of a WebVTT file (W3C, WebVTT 6.1).
struct WebVTTCues {
  /// A cue with its side data: settings, identifier and the comments before the cue, as in Matroska.
  struct Cue {
    var start: Int64
    var duration: Int64
    var text: [UInt8]
    var sideData: [UInt8] = []
  }

  /// Everything before the first cue; empty if that is only the signature.
  private(set) var header: [UInt8] = []
  /// Cues in the order of their starts.
  private(set) var cues: [Cue] = []
  /// Offset of the first line with an arrow that has no valid times; `nil` if there is none.
  private(set) var damage: Int64?

  private typealias Line = ArraySlice<UInt8>

  private static let signature = Array("WEBVTT".utf8)
  private static let arrow = Array("-->".utf8)

  /// Returns `true` if the bytes begin with the signature, after a byte order mark or without one.
  static func isSigned(_ bytes: some Collection<UInt8>) -> Bool {
    let text = Array(utf8(Array(bytes.prefix(64))).prefix(signature.count + 1))
    return text.starts(with: signature)
      && (text.count == signature.count || [9, 10, 13, 32].contains(text[signature.count]))
  }

  /// Reads a file; `bytes` begin with the signature.
  init(_ bytes: [UInt8]) {
    let text = Self.utf8(bytes)
    var lines = Self.lines(text)[...]
    var head: [[UInt8]] = []
    var comments: [UInt8] = []
    while !lines.isEmpty {
      let block = Self.nextBlock(&lines)
      guard let first = block.first else { continue }
      // The identifier of a cue is the line before its times.
      let place = block.prefix(2).firstIndex(where: Self.hasArrow)
      guard let place else {
        let joined = Array(block.joined(separator: [10]))
        if cues.isEmpty {
          head.append(joined)
        } else if first.starts(with: "NOTE".utf8) {
          comments += (comments.isEmpty ? [] : [10]) + joined
        }
        continue
      }
      guard var cue = Self.cue(block[place]) else {
        damage = damage ?? Int64(block[place].startIndex)
        continue
      }
      let identifier = place == block.startIndex ? [] : Array(first)
      cue.text = Array(block[(place + 1)...].joined(separator: [10]))
      if !identifier.isEmpty || !comments.isEmpty || !cue.sideData.isEmpty {
        cue.sideData += [10] + identifier + (comments.isEmpty ? [] : [10] + comments)
      }
      comments = []
      cues.append(cue)
    }
    if head.count > 1 || (head.first?.count ?? 0) > Self.signature.count {
      header = Array(head.joined(separator: [10, 10]))
    }
    // Sorting is stable.
    cues.sort { $0.start < $1.start }
  }

  /// Removes the next block of lines; one that ends without an empty line before the times of a cue ends there.
  private static func nextBlock(_ lines: inout ArraySlice<Line>) -> [Line] {
    lines = lines.drop(while: \.isEmpty)
    var block: [Line] = []
    var hasTimes = false
    while let line = lines.first, !line.isEmpty {
      let isTimes = hasArrow(line)
      if isTimes, hasTimes || block.count > 1 { break }
      hasTimes = hasTimes || isTimes
      block.append(line)
      lines = lines.dropFirst()
    }
    return block
  }

  private static func hasArrow(_ line: Line) -> Bool { line.firstRange(of: arrow) != nil }

  /// Returns the cue of a line with times and settings; `nil` if the times are not valid.
  private static func cue(_ line: Line) -> Cue? {
    guard let range = line.firstRange(of: arrow) else { return nil }
    let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 }
    let rest = line[range.upperBound...].drop(while: isSpace)
    let end = rest.prefix { !isSpace($0) }
    var settings = rest.dropFirst(end.count).drop(while: isSpace)
    while settings.last.map(isSpace) == true { settings = settings.dropLast() }
    guard let first = time(line[..<range.lowerBound].filter { !isSpace($0) }),
      let last = time(Array(end)), last >= first
    else { return nil }
    return Cue(start: first, duration: last - first, text: [], sideData: Array(settings))
  }

  /// Returns the milliseconds of a time such as `01:02:03.456` or `02:03.456`; `nil` if it is not valid.
  private static func time(_ bytes: [UInt8]) -> Int64? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
    let seconds = last.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
    }
    guard seconds.count == 2, seconds[1].count == 3 else { return nil }
    var numbers: [Int64] = []
    for part in parts.dropLast() + seconds {
      guard (1...9).contains(part.count),
        part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      numbers.append(part.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }
    let minutes = numbers.dropLast(2).reduce(0) { $0 * 60 + $1 }
    return (minutes * 60 + numbers[numbers.count - 2]) * 1000 + numbers[numbers.count - 1]
  }

  /// Returns lines without their ends, which are line feeds, carriage returns or both.
  private static func lines(_ text: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var (start, index) = (0, 0)
    while index < text.count {
      if text[index] == 10 || text[index] == 13 {
        lines.append(text[start..<index])
        if text[index] == 13, index + 1 < text.count, text[index + 1] == 10 { index += 1 }
        start = index + 1
      }
      index += 1
    }
    lines.append(text[start...])
    return lines
  }

  /// Returns bytes without a byte order mark, and UTF-16 with one as UTF-8.
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isBig = bytes.starts(with: [0xFE, 0xFF])
    guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (one, two) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? one << 8 | two : two << 8 | one
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
