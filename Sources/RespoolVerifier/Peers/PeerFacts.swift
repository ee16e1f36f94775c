import RespoolMedia

/// Comparison of the descriptions of a track by two demuxers; what one does not state is not compared.
struct PeerFacts {
  let own: PeerTrack
  let other: PeerTrack

  func check() throws(Finding) {
    let (mine, theirs) = (own.track, other.track)
    try compare("the codec", mine.codec, theirs.codec) { !$0.isEmpty }
    if mine.kind == .video {
      try compare("the size", "\(mine.width)x\(mine.height)", "\(theirs.width)x\(theirs.height)") {
        !$0.hasPrefix("0x")
      }
      try compare("the pixel aspect ratio", mine.sampleAspect, theirs.sampleAspect) {
        $0.isPositive && $0 != Rational(1, 1)
      }
      try compareColor()
      try compare("the rotation", mine.rotation, theirs.rotation) { _ in true }
    } else {
      try compareAudio()
    }
    try compare("the language", language(mine), language(theirs)) { $0 != "und" }
    try compareRecord()
  }

  private func compare<Value: Equatable>(
    _ what: String, _ mine: Value, _ theirs: Value, _ isStated: (Value) -> Bool
  ) throws(Finding) {
    guard mine != theirs, isStated(mine), isStated(theirs) else { return }
    throw Finding("\(own.name) reads \(what) \(mine), \(other.name) reads \(theirs)")
  }

  private func compareColor() throws(Finding) {
    let (mine, theirs) = (own.track.color, other.track.color)
    let fields: [(String, KeyPath<ColorDescription, UInt8>)] = [
      ("primaries", \.primaries), ("transfer", \.curve), ("matrix", \.coefficients),
    ]
    for (name, field) in fields {
      try compare("the color's \(name)", mine[keyPath: field], theirs[keyPath: field]) {
        $0 != H273.unspecified
      }
    }
    try compare("the range", mine.range, theirs.range) { $0 != .unspecified }
  }

  private func compareAudio() throws(Finding) {
    let (mine, theirs) = (own.track, other.track)
    let rates = (mine.sampleRate, theirs.sampleRate)
    // A record may state the core of HE-AAC.
    let isCore = mine.codec == "aac" && max(rates.0, rates.1) == 2 * min(rates.0, rates.1)
    if !isCore { try compare("the sample rate", rates.0, rates.1) { $0 > 0 } }
    let counts = (mine.channelLayout.channelCount, theirs.channelLayout.channelCount)
    if mine.codec != "aac" || max(counts.0, counts.1) > 2 {
      try compare("the number of channels", counts.0, counts.1) { $0 > 0 }
    }
    try compare("the channel mask", mine.channelLayout.mask, theirs.channelLayout.mask) { $0 != 0 }
    guard mine.codec.hasPrefix("pcm_") else { return }
    try compare("bits_per_sample", mine.bitsPerSample, theirs.bitsPerSample) { $0 > 0 }
    try compare("block_align", mine.blockAlign, theirs.blockAlign) { $0 > 0 }
  }

  private func language(_ track: TrackDescription) -> String {
    let stated = track.language ?? "und"
    return LanguageCode(stated)?.terminological ?? stated
  }

  /// Codecs whose records have one form in all containers.
  private static let uniform: Set<String> = ["h264", "hevc", "aac", "flac", "vorbis"]

  private func compareRecord() throws(Finding) {
    let (mine, theirs) = (own.track, other.track)
    guard Self.uniform.contains(mine.codec), !mine.extradata.isEmpty, !theirs.extradata.isEmpty,
      AnnexB.isByteStream(mine.extradata) == AnnexB.isByteStream(theirs.extradata)
    else { return }
    let count = min(mine.extradata.count, theirs.extradata.count)
    if let place = (0..<count).first(where: { mine.extradata[$0] != theirs.extradata[$0] }) {
      throw Finding(
        "\(own.name) reads another configuration record than \(other.name): byte \(place) is "
          + "\(mine.extradata[place].hexText), not \(theirs.extradata[place].hexText)")
    }
    try compare(
      "a configuration record with a number of bytes of", mine.extradata.count,
      theirs.extradata.count
    ) { _ in true }
  }
}

extension TrackDescription {
  /// Rotation in degrees, with a word for mirrored frames.
  fileprivate var rotation: String {
    let angle = displayMatrix.clockwiseAngle.map { "\(Int($0.rounded()))" } ?? "unknown"
    return angle + (displayMatrix.isMirrored ? " mirrored" : "")
  }
}

extension UInt8 {
  /// Two hexadecimal digits.
  var hexText: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension ColorDescription {
  /// The transfer function; 1 for those that are the same curve as that of BT.709 (ITU-T H.273 8.2).
  fileprivate var curve: UInt8 { [1, 6, 14, 15].contains(transfer) ? 1 : transfer }

  /// The matrix; 5 for both numbers of BT.601 (8.3).
  fileprivate var coefficients: UInt8 {
    matrix == H273.Matrix.smpte170M ? H273.Matrix.bt470BG : matrix
  }
}
