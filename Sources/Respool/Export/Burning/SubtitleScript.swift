import RespoolMedia

/// The text of a subtitle track as the filter that draws it takes it: a script in SubStation Alpha.
struct SubtitleScript {
  /// The script without its events.
  private(set) var header: String
  /// A line for each event: start and duration in milliseconds, then the line as in Matroska.
  private(set) var events = ""
  /// Sentences about text that is not drawn as it is.
  private(set) var losses: [String] = []
  /// `true` if positions are those of the video that the script was written for.
  let hasPositions: Bool
  private var count = 0

  /// Milliseconds for which an event of unknown duration is shown.
  private static let reading: Int64 = 4000

  /// Creates a script; `aspect` is that of the frames, and `fonts` are attached files.
  init(_ content: SubtitleContent, aspect: Double, fonts: [TrackDescription]) throws(MediaError) {
    let track = content.track
    hasPositions = track.codec == "ass" || track.codec == "ssa"
    if hasPositions {
      header = Self.text(track.extradata[...])
      for packet in content.packets { add(packet, track) }
    } else {
      guard let format = CaptionFormat(track) else {
        throw MediaError(.unsupported, "\(track.codec) text cannot be drawn")
      }
      header = SubStation.header(aspect: aspect)
      add(content, as: format)
    }
    header += Self.fontSection(fonts)
  }

  private mutating func add(_ packet: Packet, _ track: TrackDescription) {
    guard let time = packet.pts ?? packet.dts, let buffer = packet.buffer else { return }
    let start = MediaTime(time, track.timeBase)
    let duration = MediaTime(packet.duration, track.timeBase)
    add(
      buffer.withBytes { Self.text($0[...]) }, from: start,
      to: packet.duration > 0 ? start + duration : nil)
  }

  private mutating func add(_ content: SubtitleContent, as format: CaptionFormat) {
    var reader = CaptionTrackReader()
    var skipped: Set<String> = []
    func write(_ readings: [CaptionReading], into script: inout SubtitleScript) {
      for reading in readings {
        skipped.formUnion(reading.skipped.prefix(max(0, 16 - skipped.count)))
        if reading.caption.styled.hasBackground { skipped.insert("colors behind letters") }
        let line = SubStation.line(reading.caption, order: script.count)
        script.add(
          line, from: reading.caption.timeRange.start, to: reading.caption.timeRange.end)
      }
    }
    let base = content.track.timeBase
    for packet in content.packets {
      guard let time = packet.pts ?? packet.dts else { continue }
      let bytes = packet.buffer.map { $0.withBytes { Array($0) } } ?? []
      let range = TimeRange(
        start: MediaTime(time, base), duration: MediaTime(packet.duration, base))
      write(reader.read(bytes, sideData: packet.sideData, as: format, over: range), into: &self)
    }
    write(reader.finish(at: .invalid), into: &self)
    if reader.damagedPackets > 0 {
      let reason = reader.firstDamage.map { ": \($0.description)" } ?? ""
      losses.append(
        "\(reader.damagedPackets.counting("packet", "is", "are")) not valid text\(reason)")
    }
    if !skipped.isEmpty {
      losses.append("the text is drawn without \(skipped.sorted().joined(separator: ", "))")
    }
  }

  private mutating func add(_ line: String, from start: MediaTime, to end: MediaTime?) {
    let base = Rational(1, 1000)
    guard let first = start.ticks(base) else { return }
    let last = end?.ticks(base) ?? first &+ Self.reading
    let (duration, isTooLong) = last.subtractingReportingOverflow(first)
    guard duration > 0, !isTooLong else { return }
    let line = line.replacing("\n", with: " ")
    events += "\(first) \(duration) \(line)\n"
    count += 1
  }

  /// Returns text up to the zero byte that some writers append.
  private static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.filter { $0 != 13 }, as: UTF8.self)
  }

  /// Returns attached fonts as the section of a script.
  ///
  /// SubStation Alpha's specification, "Appendix B: embedded font/picture encoding": three bytes become four characters
  /// of six bits each, plus 33, in lines of 80.
  private static func fontSection(_ fonts: [TrackDescription]) -> String {
    guard !fonts.isEmpty else { return "" }
    var text = Array("\n[Fonts]\n".utf8)
    for (number, font) in fonts.enumerated() {
      text += Array("fontname: attached\(number).ttf\n".utf8)
      var column = 0
      var index = 0
      let bytes = font.extradata
      text.reserveCapacity(text.count + bytes.count * 41 / 30 + 80)
      while index < bytes.count {
        let group = bytes[index..<min(index + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for place in 0...group.count {
          text.append(UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * place) & 0x3F) + 33)
        }
        column += 4
        if column == 80 {
          text.append(10)
          column = 0
        }
        index += 3
      }
      if column > 0 { text.append(10) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension TrackDescription {
  /// `true` for an attached file that is a font.
  var isFont: Bool {
    guard kind == .attachment, extradata.count > 4 else { return false }
    // TrueType, OpenType and collections (OpenType 1.9, "Font file").
    let tag = extradata.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    return [0x0001_0000, 0x4F54_544F, 0x7474_6366, 0x7472_7565].contains(tag)
  }
}
