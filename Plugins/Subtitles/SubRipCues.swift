import RespoolPlugin

/// The cues of a SubRip file.
///
/// There is no standard. An index before the times is not needed, and an empty line ends no text: lines belong to the
/// cue before them up to the next times. Coordinates after the times are left out, because they have no known unit.
struct SubRipCues: CueFile {
  typealias Format = SubRipFile

  let header: [UInt8] = []
  private(set) var cues: [Cue] = []
  private(set) var damage: MediaError?
  private(set) var isCut = false

  private let text: [UInt8]
  /// The times of the cue whose text is being read; `nil` before the first cue and in one without valid times.
  private var open: Cue?
  /// The text of the cue that is being read; `nil` if it is empty so far.
  private var body: Range<Int>?
  /// A number at the end of the text, which is the index of the next cue if times follow.
  private var number: Number?
  /// Index of the cue that is being read; `nil` if it has none.
  private var index: Int64?
  private var isAfterEmptyLine = true
  private var hasTimes = false
  /// Number of cues without valid times.
  private var faults = 0
  private var firstFault: Int?

  /// A line that consists of a number, or equal lines without an empty one between them.
  private struct Number {
    let value: Int64
    /// The text before the line.
    let before: Range<Int>?
    /// `true` if an empty line is before it.
    let beginsBlock: Bool
    /// `true` if an empty line is after it.
    var endsBlock = false

    /// Returns `true` if the line is the index of the cue after the one with this index.
    func isNext(to index: Int64?) -> Bool {
      beginsBlock && index.map { value == $0 + 1 } == true
    }
  }

  init(_ lines: CueLines) throws(MediaError) {
    text = lines.text
    var lines = lines
    while let line = lines.removeFirst() { add(line, isLast: lines.isEmpty) }
    close(isEnd: true)
    guard hasTimes || faults > 0 else {
      throw MediaError(
        .unsupported,
        "the file is no SubRip: there are no times such as 00:00:01,000 --> 00:00:02,000")
    }
    if let firstFault {
      damage = MediaError(
        .malformed,
        "\(faults.counting("cue", "has", "have")) no valid times, or \(faults == 1 ? "ends" : "end") before the start",
        track: 0, offset: Int64(firstFault))
    }
    // Sorting is stable.
    cues.sort { $0.start < $1.start }
  }

  // MARK: Detection

  /// The first index and the first times of a file, in UTF-8 and in UTF-16.
  static var magics: [FactoryDescription.Magic] {
    ["0\n00:00:00", "0\r\n00:00:00"].flatMap { text in
      let plain = text.utf8.map { $0 == UInt8(ascii: "0") ? ($0, UInt8(0xF0)) : ($0, 0xFF) }
      let (zero, mark) = ((UInt8(0), UInt8(0xFF)), [0xFE, 0xFF].map { (UInt8($0), UInt8(0xFF)) })
      let forms = [
        plain, [0xEF, 0xBB, 0xBF].map { (UInt8($0), UInt8(0xFF)) } + plain,
        mark + plain.flatMap { [zero, $0] }, mark.reversed() + plain.flatMap { [$0, zero] },
      ]
      return forms.map { FactoryDescription.Magic($0.map(\.0), mask: $0.map(\.1)) }
    }
  }

  static func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let hasName = name.lowercased().hasSuffix(".srt")
    var lines = CueLines(Array(bytes))
    var hasOnlyNumbers = true
    while let line = lines.removeFirst() {
      if SubRipTimes(line) != nil { return hasOnlyNumbers ? 90 : hasName ? 75 : 0 }
      hasOnlyNumbers = hasOnlyNumbers && (line.isEmpty || number(line) != nil)
    }
    return hasName ? 25 : 0
  }

  // MARK: Lines

  private mutating func add(_ line: CueLines.Line, isLast: Bool) {
    if let times = SubRipTimes(line) {
      close(isEnd: false)
      hasTimes = true
      begin(times, at: line.startIndex)
    } else if line.allSatisfy({ $0 == 32 || $0 == 9 }) {
      isAfterEmptyLine = true
      number?.endsBlock = true
      return
    } else if isLast, isBeginOfTimes(line) {
      isCut = true
    } else if let value = Self.number(line) {
      addNumber(value, line)
    } else if let number, number.beginsBlock, !number.endsBlock,
      line.firstRange(of: "-->".utf8) != nil
    {
      close(isEnd: false)
      fault(at: line.startIndex)
    } else {
      number = nil
      extend(line)
    }
    isAfterEmptyLine = false
  }

  /// Returns `true` if the last line of a file is the first part of a line of times.
  private func isBeginOfTimes(_ line: CueLines.Line) -> Bool {
    guard line.allSatisfy({ Array("0123456789:,. ->".utf8).contains($0) }) else { return false }
    if let number, number.isNext(to: index), !number.endsBlock { return true }
    return isAfterEmptyLine && line.contains(UInt8(ascii: ":"))
  }

  private mutating func addNumber(_ value: Int64, _ line: CueLines.Line) {
    // An index that is repeated.
    if let number, number.value == value, number.beginsBlock, !number.endsBlock {
      extend(line)
      return
    }
    number = Number(value: value, before: body, beginsBlock: isAfterEmptyLine)
    extend(line)
  }

  private mutating func extend(_ line: CueLines.Line) {
    body = (body?.lowerBound ?? line.startIndex)..<line.endIndex
  }

  private mutating func begin(_ times: SubRipTimes, at offset: Int) {
    guard times.end >= max(0, times.start) else { return fault(at: offset) }
    let start = max(0, times.start)
    open = Cue(start: start, duration: times.end - start)
    let words = times.text
    if !words.isEmpty { extend(words) }
  }

  private mutating func fault(at offset: Int) {
    faults += 1
    firstFault = firstFault ?? offset
  }

  /// Ends the cue that is being read, before times or at the end of the file.
  private mutating func close(isEnd: Bool) {
    var (text, next): (Range<Int>?, Int64?) = (body, nil)
    if let number {
      // Times follow an index at once. Where an empty line is between them, as in files with doubled line ends, and at
      // the end of a file, only the number that follows the last index is one.
      let isIndex =
        number.isNext(to: index) || !isEnd && (open == nil || !number.endsBlock)
      if isIndex { (text, next) = (number.before, number.value) }
    }
    if isEnd { isCut = isCut || next != nil || hasUnfinishedTimes }
    if var cue = open, let text {
      cue.text = self.text[text]
      cues.append(cue)
    }
    (open, body, number, index) = (nil, nil, nil, next)
  }

  /// `true` if the file ends with the line of times of a cue, without a line end.
  private var hasUnfinishedTimes: Bool {
    open != nil && body == nil && text.last != 10 && text.last != 13
  }

  /// Returns the value of a line that consists of digits, after a byte order mark or without one.
  private static func number(_ line: CueLines.Line) -> Int64? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let digits = (line.starts(with: mark) ? line.dropFirst(3) : line).filter { $0 != 32 && $0 != 9 }
    guard (1...9).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }
}
