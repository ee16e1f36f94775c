import RespoolMedia

/// Coding of captions in the packets of a track.
enum CaptionFormat {
  case timedText(TimedText)
  case subRip
  /// Text without markup.
  case plain
  case webVTT
  /// WebVTT cues in boxes, as in MP4 (ISO/IEC 14496-30).
  case webVTTBoxes
  /// Dialogue lines of SubStation Alpha, as in Matroska.
  case subStation

  /// Creates the format of a track; `nil` if it is not text of a supported format.
  init?(_ track: TrackDescription) {
    guard track.kind == .subtitle else { return nil }
    switch track.codec {
    case "mov_text":
      self = .timedText(
        TimedText(sampleEntry: track.extradata, isQuickTime: track.isQuickTimeText))
    case "subrip", "srt": self = .subRip
    case "text": self = .plain
    case "webvtt": self = track.codecTag == FourCC("wvtt").tag ? .webVTTBoxes : .webVTT
    case "ass", "ssa": self = .subStation
    default: return nil
    }
  }

  /// `true` if a sample is shown until the next one: samples do not overlap, and one without text shows nothing (3GPP
  /// TS 26.245 5.1).
  var isContinuous: Bool { if case .timedText = self { true } else { false } }
}

extension CaptionFormat {
  /// `true` if the format can strike text through.
  var hasStrikeThrough: Bool {
    switch self {
    case .subRip, .subStation: true
    case .timedText, .plain, .webVTT, .webVTTBoxes: false
    }
  }
}

/// The bytes of a packet that shows captions.
struct CodedCaption {
  var timeRange: TimeRange
  var bytes: [UInt8]
  /// Side data of WebVTT as in Matroska: settings, identifier and comments, one line each.
  var sideData: [UInt8] = []
}

/// A caption that was read, and the names of parts that ``Caption`` cannot hold.
struct CaptionReading {
  var caption: Caption
  var skipped: [String] = []
}

extension CaptionFormat {
  /// Returns the captions of a packet; empty for a packet that shows nothing.
  ///
  /// Throws `malformed`.
  func captions(in bytes: [UInt8], sideData: [UInt8], over timeRange: TimeRange)
    throws(MediaError) -> [CaptionReading]
  {
    var readings: [CaptionReading]
    switch self {
    case .timedText(let text): readings = [try text.caption(in: bytes)]
    case .subRip: readings = [SubRip.caption(in: Self.text(bytes))]
    case .plain:
      readings = [CaptionReading(caption: Caption(Self.text(bytes), timeRange: .invalid))]
    case .subStation: readings = [try SubStation.caption(in: Self.text(bytes))]
    case .webVTT:
      let lines = sideData.split(separator: 10, maxSplits: 2, omittingEmptySubsequences: false)
      let settings = String(decoding: lines.first ?? [], as: UTF8.self)
      var reading = WebVTT.caption(in: Self.text(bytes), settings: settings)
      for (line, name) in zip(lines.dropFirst(), ["identifiers of cues", "comments"])
      where !line.isEmpty { reading.skipped.append(name) }
      readings = [reading]
    case .webVTTBoxes: readings = try WebVTT.captions(inBoxes: bytes)
    }
    readings.removeAll { $0.caption.styled.isEmpty }
    if bytes.count > Self.longest, !readings.isEmpty {
      readings[0].skipped.append("text after the first \(Self.longest) bytes of a caption")
    }
    for index in readings.indices { readings[index].caption.timeRange = timeRange }
    return readings
  }

  /// Returns a packet with captions; only one caption unless the format is continuous.
  func coded(_ captions: [Caption], over timeRange: TimeRange) -> CodedCaption {
    switch self {
    case .timedText(let text):
      return CodedCaption(timeRange: timeRange, bytes: text.sample(captions.map(\.styled)))
    case .webVTT, .webVTTBoxes:
      let cues = captions.map { WebVTT.cue($0) }
      return CodedCaption(
        timeRange: timeRange, bytes: Array(cues.map(\.text).joined(separator: "\n").utf8),
        sideData: cues.first.map { Array($0.settings.utf8) } ?? [])
    case .subStation:
      let lines = captions.map { SubStation.line($0, order: 0) }
      return CodedCaption(timeRange: timeRange, bytes: Array(lines.joined(separator: "\n").utf8))
    case .subRip:
      let texts = captions.map { SubRip.text($0) }
      return CodedCaption(timeRange: timeRange, bytes: Array(texts.joined(separator: "\n").utf8))
    case .plain:
      let texts = captions.map(\.text)
      return CodedCaption(timeRange: timeRange, bytes: Array(texts.joined(separator: "\n").utf8))
    }
  }

  /// Maximum number of bytes of a caption, which is that of a sample of timed text.
  private static let longest = 65_535

  /// Returns a packet's text up to the zero byte that some writers append, with line feeds only and none at its end.
  private static func text(_ bytes: [UInt8]) -> String {
    let bytes = bytes.prefix(longest).prefix { $0 != 0 }
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      guard byte == 13 else {
        kept.append(byte)
        continue
      }
      if index + 1 == bytes.count || bytes[index + 1] != 10 { kept.append(10) }
    }
    while kept.last == 10 { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self)
  }
}
