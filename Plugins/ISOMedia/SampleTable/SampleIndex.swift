import RespoolPlugin

/// One sample, or one run of uncompressed sound, in decoding order: 24 bytes.
struct IndexedSample {
  /// Place in the file.
  var offset: Int64
  /// Decoding time in the media's own time line.
  var decodeTime: Int64
  /// Composition offset as `ctts` has it.
  var compositionOffset: Int32
  private var sizeAndKey: UInt32

  /// The largest size that is kept: FFmpeg's bound too.
  static let largestSize: UInt32 = 0x3FFF_FFFF

  init(offset: Int64, decodeTime: Int64, compositionOffset: Int32, size: UInt32, isKey: Bool) {
    self.offset = offset
    self.decodeTime = decodeTime
    self.compositionOffset = compositionOffset
    sizeAndKey = min(size, Self.largestSize) << 1 | (isKey ? 1 : 0)
  }

  var size: UInt32 { sizeAndKey >> 1 }
  var isKey: Bool { sizeAndKey & 1 != 0 }
}

/// The samples of a track as the tables of its `stbl` tell, before edits.
struct SampleIndex {
  var samples: [IndexedSample] = []
  /// Whether the track has composition offsets.
  var hasCompositionOffsets = false
  /// How far composition times reach below decoding times: decoding times are shown that much
  /// earlier, so that no packet is due before it is decoded.
  var decodeShift: Int64 = 0
  /// Where runs of samples of one sample description begin; none where all are of the first.
  private(set) var descriptions: [(first: Int, description: Int)] = []
  /// Sum of all durations, or where it is not told the duration of the media.
  var end: Int64 = 0

  var isEmpty: Bool { samples.isEmpty }

  /// What follows is of a sample description, from 0.
  mutating func note(description: Int) {
    guard description != descriptions.last?.description ?? 0 else { return }
    descriptions.append((samples.count, description))
  }

  /// The sample description of a sample, from 0.
  func description(_ index: Int) -> Int {
    guard !descriptions.isEmpty else { return 0 }
    var (low, high) = (0, descriptions.count)
    while low < high {
      let middle = low + (high - low) / 2
      if descriptions[middle].first <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? descriptions[low - 1].description : 0
  }

  /// Composition time in the media's own time line.
  func compositionTime(_ index: Int) -> Int64 {
    samples[index].decodeTime + Int64(samples[index].compositionOffset)
  }

  /// Where the sample ends that is shown last, in the media's own time line.
  ///
  /// With pictures of varying length this lies elsewhere than the sum of the decoding durations.
  var presentationEnd: Int64 {
    samples.indices.reduce(0) { max($0, compositionTime($1).addingClamped(duration($1))) }
  }

  /// How many samples are decoded before one that is shown before them, at most: 16 (ITU-T H.264
  /// A.3.1: no decoder holds back more).
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

  /// Until the next sample is decoded.
  func duration(_ index: Int) -> Int64 {
    let next = index + 1 < samples.count ? samples[index + 1].decodeTime : end
    return max(0, next - samples[index].decodeTime)
  }
}
