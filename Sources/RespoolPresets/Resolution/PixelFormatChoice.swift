import RespoolMedia

/// Choice of the pixel format in which a track is encoded.
struct PixelFormatChoice {
  private let preset: Preset
  private let wanted: Preset.Video
  private let encoder: FactoryDescription

  /// Creates the choice for the settings of a track, which may differ from those that `preset` states.
  init(_ preset: Preset, _ wanted: Preset.Video, _ encoder: FactoryDescription) {
    (self.preset, self.wanted, self.encoder) = (preset, wanted, encoder)
  }

  /// Returns the pixel format of encoded frames.
  ///
  /// Throws `unsupported` if the encoder takes no format that the preset allows.
  func format(for track: TrackDescription, _ recorder: DecisionRecorder) throws(MediaError)
    -> PixelFormat
  {
    let allowed = wanted.allowedPixelFormats
    let offered =
      encoder.pixelFormats.isEmpty
      ? (allowed.isEmpty ? [track.pixelFormat] : allowed)
      : encoder.pixelFormats.filter { allowed.isEmpty || allowed.contains($0) }
    let candidates = offered.filter { $0 != .none }
    guard let first = candidates.first else {
      throw MediaError(
        .unsupported,
        "encoder \(encoder.name) takes \(Spelling.list(encoder.pixelFormats.map(\.name))), and preset "
          + "\(preset.name) allows \(Spelling.list(allowed.map(\.name)))", file: preset.path)
    }
    let source = track.pixelFormat
    guard source != .none else {
      recorder.record(
        "pixelFormat", first.name,
        "the first that \(encoder.name) takes and the preset allows; the source states none")
      return first
    }
    let format = candidates.min { source.loss(to: $0) < source.loss(to: $1) } ?? first
    let by = wanted.pixelFormats.isEmpty ? "players of \(wanted.codec)" : "the preset"
    // Palettes, and GIF, whose frames are decoded with transparency, often use none. Many images have an alpha channel
    // that is opaque, and the conversion names it if it is not.
    let losesAlpha =
      source.layout.map { $0.hasAlpha && $0.family != .palette } ?? false
      && format.layout?.hasAlpha == false && track.codec != "gif"
      && (!track.disposition.contains(.stillImage) || source.layout?.isFloat == true)
    recorder.record(
      "pixelFormat", format.name,
      format == source
        ? "as \(recorder.input)"
        : "nearest to the source's \(source.name) of those accepted by \(encoder.name)"
          + (allowed.isEmpty ? "" : " and by \(by)"),
      loss: losesAlpha
        ? "\(recorder.subject): transparency is dropped: \(wanted.codec) as \(format.name) has none"
        : nil)
    return format
  }
}

extension Preset.Video {
  /// Pixel formats that the preset allows: its own, else the usual ones of the codec.
  ///
  /// H.264 players outside editing decode only 8-bit 4:2:0, and VP8 has nothing else. Browsers play VP9 and
  /// AV1 with 10 bits, which HDR needs. For other codecs, all formats of the encoder are allowed.
  var allowedPixelFormats: [PixelFormat] {
    if !pixelFormats.isEmpty { return pixelFormats }
    return switch codec {
    case "h264", "vp8": [.yuv420p]
    case "vp9", "av1": [.yuv420p, .yuv420p10le]
    default: []
    }
  }
}
