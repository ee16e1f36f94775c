import RespoolMedia

/// Color description of encoded frames.
///
/// Primaries and transfer are the source's, unless HDR becomes SDR: ITU-R BT.2100 needs at least 10 bits,
/// so 8-bit output is SDR. A source that already has 8 bits keeps its marking, for players that use it.
///
/// Full range becomes limited unless the output is lossless, because many players show full-range H.264
/// and VP9 too dark. If the source does not state its matrix, players guess the matrix from the size
/// (``ColorDescription/assumed(width:height:)``). The matrix is therefore written if players would guess
/// another for the new size, and always for RGB sources.
///
/// Pictures have full range. JPEG and WebP have one matrix each: that of BT.601, in full range (ITU-T T.871 7) and in
/// limited range (RFC 6386 9.2).
struct VideoColor {
  private(set) var description: ColorDescription
  private let track: TrackDescription
  private let format: PixelFormat
  private let recorder: DecisionRecorder
  /// Codec of a picture; `nil` for video.
  private let stillCodec: String?

  /// Decides the color of frames with the pixel format `format` and the given size.
  init(
    of track: TrackDescription, in format: PixelFormat, width: Int, height: Int, isLossless: Bool,
    stillCodec: String?, _ recorder: DecisionRecorder
  ) {
    description = track.color
    self.stillCodec = stillCodec
    (self.track, self.format, self.recorder) = (track, format, recorder)
    if format.layout?.family == .rgb {
      description.matrix = H273.Matrix.identity
      description.range = .full
    } else if let stillCodec {
      settle(still: stillCodec)
    } else {
      settleMatrix(width: width, height: height)
      settleRange(isLossless: isLossless)
    }
    settleDynamicRange()
  }

  private var isFromRGB: Bool {
    track.pixelFormat.layout?.family == .rgb || track.pixelFormat.layout?.family == .palette
  }

  private mutating func settleMatrix(width: Int, height: Int) {
    let before = ColorDescription.assumed(width: track.width, height: track.height)
    let after = ColorDescription.assumed(width: width, height: height)
    if isFromRGB || description.matrix == H273.Matrix.identity {
      description.matrix = after.matrix
      recorder.record(
        "color.matrix", after.matrixName ?? "\(after.matrix)",
        "the source is RGB; this matrix is usual for the new size")
    } else if description.matrix == H273.unspecified, track.pixelFormat.layout?.family != .gray,
      before.matrix != after.matrix
    {
      description.matrix = before.matrix
      if description.primaries == H273.unspecified { description.primaries = before.primaries }
      if description.transfer == H273.unspecified { description.transfer = before.transfer }
      recorder.record(
        "color.matrix", description.matrixName ?? "\(description.matrix)",
        "the source states none; this one is usual for its size, and players would assume another "
          + "for the new size")
    }
  }

  private mutating func settle(still codec: String) {
    let isFixed = ["mjpeg", "webp"].contains(codec)
    if isFixed || isFromRGB
      || [H273.Matrix.identity, H273.unspecified].contains(description.matrix)
    {
      description.matrix = H273.Matrix.bt470BG
    }
    description.range = codec == "webp" ? .limited : .full
    // Pictures without a statement are sRGB (IEC 61966-2-1).
    if !isFixed, description.primaries == H273.unspecified, track.sideData[.colorProfile] == nil {
      description.primaries = H273.Primaries.bt709
      if description.transfer == H273.unspecified { description.transfer = H273.Transfer.sRGB }
    }
  }

  private mutating func settleRange(isLossless: Bool) {
    guard description.range == .full || isFromRGB, !isLossless else { return }
    description.range = .limited
    let isChanged = track.color.range == .full && !isFromRGB
    recorder.record(
      "color.range", "limited", "the source has full range, which many players show wrongly",
      note: isChanged ? "\(recorder.subject): full-range video becomes limited range" : nil)
  }

  private mutating func settleDynamicRange() {
    guard let kind = description.highDynamicRangeName, format.layout?.family != .gray else {
      return
    }
    func isDeep(_ format: PixelFormat) -> Bool { (format.layout?.depth ?? 8) >= 10 }
    if isDeep(format) {
      recorder.record(
        "color", kind,
        "HDR is kept: the color tags of the source, 10 bits or more\(keptRecords)")
    } else if isDeep(track.pixelFormat) {
      description = description.asBT709
      recorder.record(
        "color", "BT.709",
        "the source is HDR (\(kind)) and the output has 8 bits: tones are mapped as in ITU-R "
          + "BT.2390",
        loss:
          "\(recorder.subject): the color becomes BT.709, no longer HDR (\(kind)): \(format.name) has 8 "
          + "bits, so tones are mapped; mastering display and content light level no longer apply"
      )
    } else {
      recorder.record(
        "color", kind,
        "the source is marked as HDR but has 8 bits, and so does the output: players without HDR "
          + "show pale colors", isWarning: true)
    }
  }

  /// List of the HDR metadata that is written.
  private var keptRecords: String {
    let names: [(FourCC, String)] = [
      (.masteringDisplay, "mastering display"), (.contentLightLevel, "light levels"),
      (.contentColorVolume, "content color volume"), (.ambientViewing, "viewing environment"),
    ]
    return names.filter { track.sideData[$0.0] != nil }.map { ", " + $0.1 }.joined()
  }
}
