import RespoolPlugin

/// The header and the cues of a WebVTT file (W3C, WebVTT 6.1).
///
/// Styles, regions and comments before the first cue are the header, as in Matroska. FFmpeg 5 ends reading at a
/// `STYLE` block.
struct WebVTTCues: CueFile {
  typealias Format = WebVTTFile

  /// Everything before the first cue; empty if that is only the signature.
  private(set) var header: [UInt8] = []
  /// Cues in the order of their starts.
  private(set) var cues: [Cue] = []
  private(set) var damage: MediaError?
  let isCut = false

  private typealias Line = CueLines.Line

  private static let signature = Array("WEBVTT".utf8)
  private static let arrow = Array("-->".utf8)

  static let magics = [FactoryDescription.Magic(signature)]

  static func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    isSigned(CueLines(Array(bytes.prefix(64))).text) ? 100 : 0
  }

  private static func isSigned(_ text: [UInt8]) -> Bool {
    text.starts(with: signature)
      && (text.count == signature.count || [9, 10, 13, 32].contains(text[signature.count]))
  }

  init(_ lines: CueLines) throws(MediaError) {
    var lines = lines
    let text = lines.text
    guard Self.isSigned(text) else {
      throw MediaError(.malformed, "the file does not begin with WEBVTT", offset: 0)
    }
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
        damage =
          damage
          ?? MediaError(
            .malformed, "a cue has no valid times", track: 0,
            offset: Int64(block[place].startIndex))
        continue
      }
      let identifier = place == block.startIndex ? [] : Array(first)
      if let first = block.dropFirst(place + 1).first, let last = block.last {
        cue.text = text[first.startIndex..<last.endIndex]
      }
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
  private static func nextBlock(_ lines: inout CueLines) -> [Line] {
    var block: [Line] = []
    var hasTimes = false
    while let line = lines.first {
      if line.isEmpty {
        if !block.isEmpty { break }
      } else {
        let isTimes = hasArrow(line)
        if isTimes, hasTimes || block.count > 1 { break }
        hasTimes = hasTimes || isTimes
        block.append(line)
      }
      _ = lines.removeFirst()
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
    return Cue(start: first, duration: last - first, sideData: Array(settings))
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
}
