package import RespoolMedia

extension PresetResolver {
  /// Returns the allowed pixel formats for a preset that names none.
  ///
  /// H.264 players outside editing decode only 8-bit 4:2:0, and VP8 has nothing else. Browsers play VP9 and
  /// AV1 with 10 bits, which HDR needs. For other codecs, all formats of the encoder are allowed.
  static func usualPixelFormats(of codec: String) -> [PixelFormat] {
    switch codec {
    case "h264", "vp8": [.yuv420p]
    case "vp9", "av1": [.yuv420p, .yuv420p10le]
    default: []
    }
  }

  /// Returns the pixel formats that the preset allows for a track: its own, else the usual ones of the
  /// codec.
  static func allowedPixelFormats(_ wanted: Preset.Video, codec: String) -> [PixelFormat] {
    wanted.pixelFormats.isEmpty ? usualPixelFormats(of: codec) : wanted.pixelFormats
  }

  mutating func settlePixelFormat(
    of track: TrackDescription, _ wanted: Preset.Video, in conversion: inout VideoConversion,
    about subject: Subject
  ) throws(MediaError) {
    let encoder = conversion.encoder.description
    let allowed = Self.allowedPixelFormats(wanted, codec: wanted.codec)
    let offered =
      encoder.pixelFormats.isEmpty
      ? (allowed.isEmpty ? [track.pixelFormat] : allowed)
      : encoder.pixelFormats.filter { allowed.isEmpty || allowed.contains($0) }
    let candidates = offered.filter { $0 != .none }
    guard let first = candidates.first else {
      throw MediaError(
        .unsupported,
        "encoder \(encoder.name) takes \(Self.list(encoder.pixelFormats.map(\.name))), and preset "
          + "\(preset.name) allows \(Self.list(allowed.map(\.name)))", file: preset.path)
    }
    guard track.pixelFormat != .none else {
      conversion.pixelFormat = first
      record(
        subject.setting("pixelFormat"), first.name,
        "the first that \(encoder.name) takes and the preset allows; the source states none"
      )
      return
    }
    let format = candidates.min {
      Self.loss(from: track.pixelFormat, to: $0) < Self.loss(from: track.pixelFormat, to: $1)
    }
    conversion.pixelFormat = format ?? first
    let by = wanted.pixelFormats.isEmpty ? "players of \(wanted.codec)" : "the preset"
    let reason =
      conversion.pixelFormat == track.pixelFormat
      ? "as the source"
      : "nearest to the source's \(track.pixelFormat.name) of those accepted by \(encoder.name)"
        + (allowed.isEmpty ? "" : " and by \(by)")
    record(subject.setting("pixelFormat"), conversion.pixelFormat.name, reason)
  }

  /// Minimum ``loss(from:to:)`` of a change between Y'CbCr and RGB, which does not keep the source exactly.
  static let colorModelLoss = 100

  /// Returns a measure of the loss of a pixel format change.
  ///
  /// Lost components count most, then bits and chroma that are added without need.
  package static func loss(from source: PixelFormat, to target: PixelFormat) -> Int {
    guard let a = source.layout, let b = target.layout else { return .max }
    // Gray has no chroma to lose; a palette has full-resolution color.
    let (ax, ay) = a.family == .gray ? (2, 2) : (a.chromaShiftX, a.chromaShiftY)
    let allLost = a.family == .gray ? 2 : 9
    let (bx, by) =
      b.family == .gray ? (allLost, allLost) : (b.chromaShiftX, b.chromaShiftY)
    let isRGB = { (layout: PixelLayout) in layout.family == .rgb || layout.family == .palette }
    var loss = 0
    loss += max(0, a.depth - b.depth) * 10_000
    loss += (a.hasAlpha && !b.hasAlpha ? 1 : 0) * 5_000
    loss += (max(0, bx - ax) + max(0, by - ay)) * 1_000
    loss += (isRGB(a) != isRGB(b) ? 1 : 0) * colorModelLoss
    loss += max(0, b.depth - a.depth) * 10
    loss += max(0, ax - bx) + max(0, ay - by)
    loss += b.hasAlpha && !a.hasAlpha ? 1 : 0
    return loss
  }

  /// Settles the color description of the encoded frames.
  ///
  /// Primaries and transfer are the source's, unless HDR becomes SDR: ITU-R BT.2100 needs at least 10 bits,
  /// so 8-bit output is SDR. A source that already has 8 bits keeps its marking, for players that use it.
  ///
  /// Full range becomes limited unless the output is lossless, because many players show full-range H.264
  /// and VP9 too dark. If the source does not state its matrix, players guess the matrix from the size
  /// (``ColorDescription/usual(width:height:)``). The matrix is therefore written if players would guess
  /// another for the new size, and always for RGB sources.
  mutating func settleColor(
    of track: TrackDescription, in conversion: inout VideoConversion, isLossless: Bool,
    about subject: Subject
  ) {
    var color = track.color
    let family = track.pixelFormat.layout?.family
    let target = conversion.pixelFormat.layout?.family
    let wasRGB = family == .rgb || family == .palette
    if target == .rgb {
      color.matrix = 0
      color.range = .full
      conversion.color = color
      settleDynamicRange(of: track, in: &conversion, about: subject)
      return
    }
    let before = ColorDescription.usual(width: track.width, height: track.height)
    let after = ColorDescription.usual(width: conversion.width, height: conversion.height)
    if wasRGB || color.matrix == 0 {
      let matrix = after.matrix
      color.matrix = matrix
      record(
        subject.setting("color.matrix"), "\(matrix)",
        "the source is RGB; this matrix is usual for the new size")
    } else if color.matrix == 2, family != .gray, before.matrix != after.matrix {
      color.matrix = before.matrix
      if color.primaries == 2 { color.primaries = before.primaries }
      if color.transfer == 2 { color.transfer = before.transfer }
      record(
        subject.setting("color.matrix"), "\(color.matrix)",
        "the source states none; this one is usual for its size, and players would assume another "
          + "for the new size")
    }
    if color.range == .full || wasRGB, !isLossless {
      color.range = .limited
      record(
        subject.setting("color.range"), "limited",
        "the source has full range, which many players show wrongly")
    }
    conversion.color = color
    settleDynamicRange(of: track, in: &conversion, about: subject)
  }

  private mutating func settleDynamicRange(
    of track: TrackDescription, in conversion: inout VideoConversion,
    about subject: Subject
  ) {
    guard conversion.color.isHighDynamicRange, conversion.pixelFormat.layout?.family != .gray else {
      return
    }
    let kind = conversion.color.transfer == 16 ? "PQ" : "HLG"
    func isDeep(_ format: PixelFormat) -> Bool { (format.layout?.depth ?? 8) >= 10 }
    if isDeep(conversion.pixelFormat) {
      record(
        subject.setting("color"), kind,
        "HDR is kept: the color tags of the source, 10 bits or more\(Self.keptRecords(of: track))")
    } else if isDeep(track.pixelFormat) {
      (conversion.color.primaries, conversion.color.transfer) = (1, 1)
      if conversion.color.matrix != 0 { conversion.color.matrix = 1 }
      record(
        subject.setting("color"), "BT.709",
        "the source is HDR (\(kind)) and the output has 8 bits: tones are mapped as in ITU-R "
          + "BT.2390",
        loss:
          "\(subject): the color becomes BT.709, no longer HDR (\(kind)): \(conversion.pixelFormat.name) has 8 "
          + "bits, so tones are mapped; mastering display and content light level no longer apply"
      )
    } else {
      record(
        subject.setting("color"), kind,
        "the source is marked as HDR but has 8 bits, and so does the output: players without HDR "
          + "show pale colors", isWarning: true)
    }
  }

  /// Returns a list of the HDR metadata that is written and the metadata that is not.
  private static func keptRecords(of track: TrackDescription) -> String {
    let names: [(FourCC, String)] = [
      (.masteringDisplay, "mastering display"), (.contentLightLevel, "light levels"),
      (.contentColorVolume, "content color volume"), (.ambientViewing, "viewing environment"),
    ]
    let kept = names.filter { track.sideData[$0.0] != nil }.map { ", " + $0.1 }.joined()
    let hasVision = track.sideData.contains { FourCC.dolbyVision.contains($0.type) }
    return kept + (hasVision ? "; Dolby Vision is dropped, because only a copy keeps it" : "")
  }
}
