import RespoolMedia

/// Settings of video that a preset would copy but must encode: bit depth, HDR and losslessness are kept.
extension PresetResolver {
  /// Video settings, and whether their output is lossless.
  struct FaithfulVideo {
    var video: Preset.Video
    var isLossless = false
  }

  /// Returns the preset's video settings for a track that the container cannot carry unchanged.
  ///
  /// Only presets that copy every codec, without limits, get codecs and pixel formats other than they name.
  func faithful(_ wanted: Preset.Video, to track: TrackDescription) -> FaithfulVideo {
    let unchanged = FaithfulVideo(video: wanted)
    guard wanted.passThrough == .any, wanted.pixelFormats.isEmpty, wanted.encoder == nil,
      track.pixelFormat.layout != nil
    else { return unchanged }
    // An odd side is scaled to an even one.
    let isEven = track.width.isMultiple(of: 2) && track.height.isMultiple(of: 2)
    if track.isLosslessVideo, isEven, wanted.size == nil, wanted.frameRate == nil,
      let video = losslessVideo(wanted, for: track)
    {
      return FaithfulVideo(video: video, isLossless: true)
    }
    return FaithfulVideo(video: deepVideo(wanted, for: track) ?? wanted)
  }

  /// Returns lossless settings; `nil` if the container carries no such codec.
  private func losslessVideo(_ wanted: Preset.Video, for track: TrackDescription) -> Preset.Video? {
    let candidates: [(codec: String, options: [PluginOption])] = [
      ("ffv1", []), ("h264", [PluginOption("qp", "0")]),
      ("vp9", [PluginOption("lossless", "true")]),
      ("png", []),
    ]
    for (codec, options) in candidates {
      let formats = formats(of: codec).filter {
        Self.loss(from: track.pixelFormat, to: $0) < Self.colorModelLoss
      }
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
        let formats = formats(of: codec).filter {
          keepsChroma
            ? Self.loss(from: track.pixelFormat, to: $0) < Self.colorModelLoss
            : ($0.layout?.depth ?? 0) >= depth
        }
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

  /// Records the layers that an encoded track loses: Dolby Vision and second views.
  mutating func recordLayers(
    of track: TrackDescription, as codec: String, about subject: Subject
  ) {
    func has(_ types: FourCC...) -> Bool { track.sideData.contains { types.contains($0.type) } }
    if has("dvcC", "dvvC", "dvwC") {
      record(
        subject.setting("layers"), "base",
        "encoding as \(codec) drops Dolby Vision; only a copy keeps it",
        loss:
          "\(subject): Dolby Vision is dropped (the DOVI configuration record and the data it "
          + "describes): only the base layer is encoded as \(codec)")
    }
    // MV-HEVC: ISO/IEC 14496-15 9.5, and Apple's box for stereo video.
    if has("lhvC", "vexu") {
      record(
        subject.setting("views"), "1",
        "encoding as \(codec) keeps one view; only a copy keeps both",
        loss:
          "\(subject): the second view of stereo video (MV-HEVC) is dropped: encoding as \(codec) "
          + "keeps one view"
      )
    }
  }

  /// Returns the pixel formats in which `codec` can be encoded into the container; empty if it cannot.
  private func formats(of codec: String) -> [PixelFormat] {
    guard muxer.description.codecs.contains(codec) else { return [] }
    return available.encoders(for: codec).first?.description.pixelFormats ?? []
  }

  /// Records what an encoded track lacks of its source.
  mutating func recordLoss(
    of track: TrackDescription, in conversion: VideoConversion, _ faithful: FaithfulVideo,
    about subject: Subject
  ) {
    guard faithful.video.passThrough == .any, let before = track.pixelFormat.layout,
      let after = conversion.pixelFormat.layout, after.depth < before.depth
    else { return }
    record(
      subject.setting("depth"), "\(after.depth)",
      "no encoder for the container keeps \(before.depth) bits",
      loss:
        "\(subject): the bit depth changes from \(before.depth) to \(after.depth): no encoder for "
        + "\(muxer.description.name) keeps it")
  }
}

extension TrackDescription {
  /// `true` if the codec of a video track is always lossless.
  ///
  /// Codecs that can be lossless or lossy, such as H.264, count as lossy.
  var isLosslessVideo: Bool {
    kind == .video
      && [
        "rawvideo", "ffv1", "huffyuv", "ffvhuff", "hymt", "utvideo", "magicyuv", "lagarith",
        "v210", "v308", "v408", "v410", "r210", "r10k", "yuv4", "qtrle", "msrle", "8bps", "zmbv",
        "flashsv", "tscc", "cscd", "fraps", "zlib", "mszh", "loco", "vble", "png", "apng", "bmp",
        "tiff", "targa", "flic",
      ].contains(codec)
  }
}
