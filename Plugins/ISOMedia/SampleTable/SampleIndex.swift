import RespoolPlugin

/// One sample, or one packet of PCM, in decoding order.
///
/// Takes 24 bytes.
struct IndexedSample {
  /// File offset.
  var offset: Int64
  /// Decoding time on the media's time line.
  var decodeTime: Int64
  /// Composition offset as stored in `ctts`.
  var compositionOffset: Int32
  private var sizeAndKey: UInt32

  /// Maximum sample size, the same as in FFmpeg.
  static let largestSize: UInt32 = 0x3FFF_FFFF

  /// Creates a sample.
  ///
  /// A size above the maximum is clamped. `SampleIndex` places such a sample after every file, so that the reader
  /// reports it.
  init(offset: Int64, decodeTime: Int64, compositionOffset: Int32, size: UInt32, isKey: Bool) {
    self.offset = offset
    self.decodeTime = decodeTime
    self.compositionOffset = compositionOffset
    sizeAndKey = min(size, Self.largestSize) << 1 | (isKey ? 1 : 0)
  }

  var size: UInt32 { sizeAndKey >> 1 }
  var isKey: Bool { sizeAndKey & 1 != 0 }
}

/// The samples of a track according to `stbl`, before edits.
struct SampleIndex {
  var samples: [IndexedSample] = []
  /// `true` if the track has composition offsets.
  var hasCompositionOffsets = false
  /// Maximum by which composition times lie below decoding times.
  ///
  /// Decoding times are reported that much earlier, so that no packet is shown before it is decoded.
  var decodeShift: Int64 = 0
  /// Start of each run of samples with the same sample description.
  ///
  /// Empty if all use the first.
  private(set) var descriptions: [(first: Int, description: Int)] = []
  /// Sum of all durations, or the duration of the media if that is unknown.
  var end: Int64 = 0

  var isEmpty: Bool { samples.isEmpty }

  /// Sets the sample description of the following samples, from 0.
  mutating func note(description: Int) {
    guard description != descriptions.last?.description ?? 0 else { return }
    descriptions.append((samples.count, description))
  }

  /// Returns the index of a sample's description, from 0.
  func descriptionIndex(ofSample index: Int) -> Int {
    guard !descriptions.isEmpty else { return 0 }
    var (low, high) = (0, descriptions.count)
    while low < high {
      let middle = low + (high - low) / 2
      if descriptions[middle].first <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? descriptions[low - 1].description : 0
  }

  /// Returns the composition time on the media's time line.
  func compositionTime(_ index: Int) -> Int64 {
    samples[index].decodeTime.addingClamped(Int64(samples[index].compositionOffset))
  }

  /// End of the last shown sample on the media's time line.
  ///
  /// With varying frame durations, this differs from the sum of the decoding durations.
  var presentationEnd: Int64 {
    samples.indices.reduce(0) { max($0, compositionTime($1).addingClamped(duration($1))) }
  }

  /// Composition times of all samples in ascending order.
  var frameStarts: [Int64] { samples.indices.map(compositionTime).sorted() }

  /// Maximum number of samples that are decoded before a sample and shown after it.
  ///
  /// At most 16: no decoder holds back more (ITU-T H.264 A.3.1).
  var reorderDepth: Int {
    guard hasCompositionOffsets else { return 0 }
    var depth = 0
    for number in samples.indices {
      let time = compositionTime(number)
      let later = (max(0, number - 16)..<number).count { compositionTime($0) > time }
      depth = max(depth, later)
    }
    return depth
  }

  /// Returns the time until the next sample is shown; for the last one, until the end of the media.
  func shownDuration(_ index: Int) -> Int64 {
    guard hasCompositionOffsets else { return duration(index) }
    return FrameSpacing.duration(
      of: index, count: samples.count, decodeTime: { samples[$0].decodeTime },
      compositionTime: compositionTime, storedDuration: duration)
  }

  /// Returns the time until the next sample is decoded.
  func duration(_ index: Int) -> Int64 {
    let next = index + 1 < samples.count ? samples[index + 1].decodeTime : end
    return max(0, next.subtractingClamped(samples[index].decodeTime))
  }
}
