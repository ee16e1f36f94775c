import RespoolMedia

/// How the pieces of a track are coded: what comes from one camera mostly in one way.
struct JoinedFormats {
  /// All but that of the track itself.
  private(set) var further: [TrackDescription] = []
  private var numbers: [TrackDescription: Int] = [:]
  private var last: (format: FormatDescription, number: Int)?

  /// Those of the pieces within a range of `composed`, which `track` tells of.
  init(_ track: TrackDescription, of composed: CompositionTrack, in range: TimeRange) {
    numbers[track.coding] = 0
    for piece in TrackPiece.pieces(of: composed, in: range) {
      for format in piece.track.description.formats where numbers[format.coding] == nil {
        further.append(format)
        numbers[format.coding] = further.count
      }
    }
  }

  /// Of a sample's format: 0 for the track's own.
  mutating func number(of format: FormatDescription) -> Int {
    if let last, last.format === format { return last.number }
    let number = numbers[format.track.coding] ?? 0
    last = (format, number)
    return number
  }
}

extension TrackDescription {
  /// What says how samples are coded, and nothing else: equal where one sample description tells of both.
  fileprivate var coding: TrackDescription {
    var coding = TrackDescription(kind: kind, codec: codec, timeBase: Rational(1, 1))
    // Of text it says how it is drawn unless the samples tell.
    coding.extradata = kind == .subtitle ? [] : extradata
    (coding.width, coding.height) = (width, height)
    (coding.sampleAspect, coding.fieldOrder, coding.color) = (sampleAspect, fieldOrder, color)
    (coding.sampleRate, coding.channelLayout) = (sampleRate, channelLayout)
    return coding
  }
}
