import RespoolMedia

/// Settings of video that a preset would copy but must encode: bit depth, HDR and losslessness are kept.
struct VideoFidelity {
  private let input: ResolutionInput

  init(_ input: ResolutionInput) { self.input = input }

  /// Returns the preset's video settings for a track that the container cannot carry unchanged.
  ///
  /// Only presets that copy every codec, without limits, get codecs and pixel formats other than they name.
  func settings(_ wanted: Preset.Video, for track: TrackDescription)
    -> (video: Preset.Video, isLossless: Bool)
  {
    guard wanted.passThrough == .any, wanted.pixelFormats.isEmpty, wanted.encoder == nil,
      track.pixelFormat.layout != nil
    else { return (wanted, false) }
    if track.isLosslessVideo, wanted.size == nil, wanted.frameRate == nil,
      let video = losslessVideo(wanted, for: track)
    {
      return (video, true)
    }
    return (deepVideo(wanted, for: track) ?? wanted, false)
  }

  /// Returns lossless settings; `nil` if the container carries no such codec.
  private func losslessVideo(_ wanted: Preset.Video, for track: TrackDescription) -> Preset.Video? {
    let candidates: [(codec: String, options: [PluginOption])] = [
      ("ffv1", []), ("h264", [PluginOption("qp", "0")]),
      ("vp9", [PluginOption("lossless", "true")]),
      ("png", []),
    ]
    let isEven = track.width.isMultiple(of: 2) && track.height.isMultiple(of: 2)
    for (codec, options) in candidates {
      // Others need even sides, to which an odd one would be scaled.
      guard isEven || VideoResolver.oddLosslessEncoders.contains(codec) else { continue }
      let formats = formats(of: codec, keeping: track.pixelFormat)
      guard !formats.isEmpty else { continue }
      var video = Preset.Video()
      (video.codec, video.options, video.pixelFormats) = (codec, options, formats)
      video.passThrough = .any
      if codec == wanted.codec, let speed = wanted.options.last(where: { $0.name == "preset" }) {
        video.options.append(speed)
      }
      return video
    }
    return nil
  }

  /// Returns settings that keep more than 8 bits; `nil` if the source has 8 or no encoder keeps them.
  private func deepVideo(_ wanted: Preset.Video, for track: TrackDescription) -> Preset.Video? {
    guard let depth = track.pixelFormat.layout?.depth, depth > 8 else { return nil }
    // A profile in the preset states which players must play the file.
    let isFixed = wanted.options.contains { $0.name == "profile" }
    let codecs = (isFixed ? [] : [wanted.codec]) + ["vp9", "ffv1"]
    // The first codec that also keeps the chroma, else the first that keeps the depth.
    for keepsChroma in [true, false] {
      for codec in codecs {
        let formats =
          keepsChroma
          ? formats(of: codec, keeping: track.pixelFormat)
          : formats(of: codec).filter { ($0.layout?.depth ?? 0) >= depth }
        guard !formats.isEmpty else { continue }
        return deepVideo(wanted, codec, formats)
      }
    }
    return nil
  }

  private func deepVideo(_ wanted: Preset.Video, _ codec: String, _ formats: [PixelFormat])
    -> Preset.Video
  {
    var video = wanted
    video.pixelFormats = formats
    if codec != wanted.codec {
      (video.codec, video.options, video.bitRate) = (codec, [], nil)
      // About as close to the source as H.264 of quality 18.
      video.quality = codec == "vp9" ? 20 : nil
    }
    return video
  }

  /// Returns the pixel formats in which `codec` can be encoded into the container; empty if it cannot.
  private func formats(of codec: String) -> [PixelFormat] {
    input.muxer.codecs.contains(codec) ? input.encoder(of: codec)?.pixelFormats ?? [] : []
  }

  /// Returns the formats of ``formats(of:)`` that lose no bits, no chroma and no color model of `source`.
  private func formats(of codec: String, keeping source: PixelFormat) -> [PixelFormat] {
    formats(of: codec).filter { source.loss(to: $0) < PixelFormat.colorModelLoss }
  }

  /// Records a bit depth that no encoder for the container keeps.
  func recordDepth(
    of track: TrackDescription, in format: PixelFormat, _ recorder: DecisionRecorder
  ) {
    guard let before = track.pixelFormat.layout, let after = format.layout,
      after.depth < before.depth
    else { return }
    recorder.record(
      "depth", "\(after.depth)", "no encoder for the container keeps \(before.depth) bits",
      loss:
        "\(recorder.subject): the bit depth changes from \(before.depth) to \(after.depth): no encoder for "
        + "\(input.muxer.name) keeps it")
  }

  /// Records the second view that an encoded track loses.
  func recordViews(of track: TrackDescription, as codec: String, _ recorder: DecisionRecorder) {
    func has(_ types: FourCC...) -> Bool { track.sideData.contains { types.contains($0.type) } }
    // MV-HEVC: ISO/IEC 14496-15 9.5, and Apple's box for stereo video.
    if has("lhvC", "vexu") {
      recorder.record(
        "views", "1", "encoding as \(codec) keeps one view; only a copy keeps both",
        loss:
          "\(recorder.subject): the second view of stereo video (MV-HEVC) is dropped: encoding as \(codec) "
          + "keeps one view"
      )
    }
  }
}

extension TrackDescription {
  /// `true` if the codec of a video track is always lossless.
  ///
  /// Codecs that can be lossless or lossy, such as H.264, count as lossy.
  fileprivate var isLosslessVideo: Bool {
    kind == .video
      && [
        "rawvideo", "ffv1", "huffyuv", "ffvhuff", "hymt", "utvideo", "magicyuv", "lagarith",
        "v210", "v308", "v408", "v410", "r210", "r10k", "yuv4", "qtrle", "msrle", "8bps", "zmbv",
        "flashsv", "tscc", "cscd", "fraps", "zlib", "mszh", "loco", "vble", "png", "apng", "bmp",
        "tiff", "targa", "flic",
      ].contains(codec)
  }
}
