import RespoolMedia

/// The sample descriptions of a track whose samples come from several files.
///
/// The files of one camera mostly share one description.
struct JoinedFormats {
  /// All descriptions except the track's own.
  private(set) var further: [TrackDescription] = []
  private var numbers: [TrackDescription: Int] = [:]
  private var last: (format: FormatDescription, number: Int)?

  /// Collects the descriptions of the segments within a range of `composed`.
  ///
  /// `track` is the track's own description.
  init(_ track: TrackDescription, of composed: AssetTrack, in range: TimeRange) {
    numbers[track.coding] = 0
    for clip in composed.clips(in: range) {
      for format in clip.track.description.sampleDescriptions where numbers[format.coding] == nil {
        further.append(format)
        numbers[format.coding] = further.count
      }
    }
  }

  /// Creates the descriptions of samples that arrive one after the other.
  ///
  /// `first` is the description of the first sample and the track's own.
  init(first: FormatDescription) {
    numbers[first.track.coding] = 0
    last = (first, 0)
  }

  /// Returns the number of a sample's format.
  ///
  /// 0 for the track's own. `nil` if the format is unknown.
  mutating func number(of format: FormatDescription) -> Int? {
    if let last, last.format === format { return last.number }
    let number = numbers[format.track.coding]
    last = number.map { (format, $0) }
    return number
  }

  /// Adds a format that is unknown so far and returns its number.
  mutating func add(_ format: FormatDescription) -> Int {
    further.append(format.track)
    numbers[format.track.coding] = further.count
    return further.count
  }
}

extension TrackDescription {
  /// The properties that define how samples are coded, without any others.
  ///
  /// Two are equal if one sample description fits both.
  fileprivate var coding: TrackDescription {
    var coding = TrackDescription(kind: kind, codec: codec, timeBase: Rational(1, 1))
    // For text it is only the default style, which samples can override.
    coding.extradata = kind == .subtitle ? [] : extradata
    (coding.width, coding.height) = (width, height)
    (coding.sampleAspect, coding.fieldOrder, coding.color) = (sampleAspect, fieldOrder, color)
    (coding.sampleRate, coding.channelLayout) = (sampleRate, channelLayout)
    return coding
  }
}
