import RespoolMedia

/// How samples of a track are coded that come from several files: what one camera makes mostly in one way.
struct JoinedFormats {
  /// All but that of the track itself.
  private(set) var further: [TrackDescription] = []
  private var numbers: [TrackDescription: Int] = [:]
  private var last: (format: FormatDescription, number: Int)?

  /// Those of the pieces within a range of `composed`, which `track` tells of.
  init(_ track: TrackDescription, of composed: CompositionTrack, in range: TimeRange) {
    numbers[track.coding] = 0
    for piece in composed.pieces(in: range) {
      for format in piece.track.description.formats where numbers[format.coding] == nil {
        further.append(format)
        numbers[format.coding] = further.count
      }
    }
  }

  /// Those of samples that come one after the other, of which the first has the track's own.
  init(first: FormatDescription) {
    numbers[first.track.coding] = 0
    last = (first, 0)
  }

  /// Of a sample's format: 0 for the track's own, nil for one that is not known.
  mutating func number(of format: FormatDescription) -> Int? {
    if let last, last.format === format { return last.number }
    let number = numbers[format.track.coding]
    last = number.map { (format, $0) }
    return number
  }

  /// Takes one that is not known.
  mutating func add(_ format: FormatDescription) -> Int {
    further.append(format.track)
    numbers[format.track.coding] = further.count
    return further.count
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
