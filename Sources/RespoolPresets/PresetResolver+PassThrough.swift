package import RespoolMedia

extension PresetResolver {
  /// A reason why a track cannot be copied.
  package struct Refusal: Error {
    package var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Returns the loss by encoding a track that the preset would copy if possible.
  ///
  /// `nil` if the preset would not copy it, or if the caller requested something that needs encoding.
  package func loss(
    of index: Int, about subject: Subject, as codec: String,
    _ mode: Preset.PassThrough,
    _ refusal: Refusal
  ) -> String? {
    guard mode == .any, uncopied[index] == nil else { return nil }
    return "\(subject) is encoded again as \(codec), with loss: \(refusal.reason)"
  }

  /// Returns the reason for copying a video track, or the reason against it.
  package func passThrough(video track: TrackDescription, index: Int, _ wanted: Preset.Video)
    -> Result<
      String, Refusal
    >
  {
    if let refusal = refusal(track, index, wanted.passThrough, codec: wanted.codec) {
      return .failure(refusal)
    }
    if !track.displayMatrix.orientation.isUpright,
      !muxer.description.flags.contains(.keepsRotation)
    {
      return .failure(Refusal("\(muxer.description.name) cannot store the rotation"))
    }
    if wanted.passThrough != .auto {
      return .success("\(muxer.description.name) carries \(track.codec)")
    }
    if let size = wanted.size {
      guard track.width > 0, track.height > 0 else {
        return .failure(Refusal("the track states no frame size"))
      }
      let fitted = FrameSize.fit(
        width: track.width, height: track.height, sampleAspect: track.sampleAspect, box: size,
        enlarge: wanted.upscale)
      if fitted.width != track.width & ~1 || fitted.height != track.height & ~1 {
        return .failure(Refusal("\(track.width)x\(track.height) does not fit \(size)"))
      }
    }
    if let limit = wanted.frameRate {
      guard track.frameRate.isPositive else {
        return .failure(Refusal("the track states no frame rate, and the preset sets a limit"))
      }
      if track.frameRate.doubleValue > limit.doubleValue {
        return .failure(
          Refusal("\(track.frameRate.decimalText) frames a second exceed \(limit.decimalText)"))
      }
    }
    let allowed = Self.allowedPixelFormats(wanted, codec: wanted.codec)
    if !allowed.isEmpty, !Self.pixelFormat(of: track, isAmong: allowed) {
      return .failure(Refusal("the pixel format \(track.pixelFormat.name) is not allowed"))
    }
    if wanted.codec == "h264", let refusal = levelRefusal(track, wanted) {
      return .failure(refusal)
    }
    if let bitRate = wanted.bitRate, let refusal = bitRateRefusal(track, bitRate) {
      return .failure(refusal)
    }
    return .success("the track is already \(track.codec) and within every limit of the preset")
  }

  /// Returns the reason for copying an audio track, or the reason against it.
  package func passThrough(audio track: TrackDescription, index: Int, _ wanted: Preset.Audio)
    -> Result<
      String, Refusal
    >
  {
    if let refusal = refusal(track, index, wanted.passThrough, codec: wanted.codec) {
      return .failure(refusal)
    }
    if wanted.passThrough != .auto {
      return .success("\(muxer.description.name) carries \(track.codec)")
    }
    if let rate = wanted.sampleRate, track.sampleRate != rate {
      return .failure(Refusal("\(track.sampleRate) Hz is not the \(rate) of the preset"))
    }
    let layout = track.channelLayout
    if let channels = wanted.channels, layout.channelCount == 0 || layout.channelCount > channels {
      return .failure(Refusal("\(layout) is more than the \(channels) channels of the preset"))
    }
    // FFmpeg numbers AAC's audio object types from 0: 1 is LC.
    if wanted.codec == "aac", let profile = wanted.options.last(where: { $0.name == "profile" }),
      track.profile != 1 || !["lc", "aac_low"].contains(profile.value)
    {
      return .failure(Refusal("the preset asks for the profile \(profile.value)"))
    }
    if let bitRate = wanted.bitRate {
      let share = Self.bitRate(bitRate, forChannels: wanted.channels, for: layout)
      if let refusal = bitRateRefusal(track, share) { return .failure(refusal) }
    }
    return .success("the track is already \(track.codec) and within every limit of the preset")
  }

  private func refusal(
    _ track: TrackDescription, _ index: Int, _ mode: Preset.PassThrough, codec: String
  ) -> Refusal? {
    if let reason = uncopied[index] { return Refusal(reason) }
    if mode == .never {
      return Refusal("the preset always re-encodes (passthrough: never)")
    }
    if mode == .auto, track.codec != codec {
      return Refusal(
        "the track is \(track.codec.isEmpty ? "of an unknown codec" : track.codec), not \(codec)")
    }
    if source.format == MediaDescription.editedFormat {
      // Some players show the wrong part of joined segments, and presets with limits are made for all
      // players.
      if mode == .auto {
        return Refusal(
          "the track is edited from several clips; only presets with `passthrough: any` or `only` "
            + "can copy it")
      }
      if !muxer.description.flags.contains(.joinsPieces) {
        return Refusal(
          "the track is edited from several clips, which \(muxer.description.name) cannot join")
      }
      if cutClips.contains(index), !muxer.description.flags.contains(.hidesPictures) {
        return Refusal(
          "the track uses parts of clips, and "
            + "\(muxer.description.name) cannot hide samples needed to decode them"
        )
      }
    }
    if mode == .auto, !track.furtherFormats.isEmpty {
      return Refusal(
        "the track has \(track.formats.count) sample descriptions, which not every player supports"
      )
    }
    // Packets of several edits repeat and overlap; only decoding can join them in one timeline.
    if track.edits.count(where: { $0.mediaStart != nil }) > 1 {
      return Refusal("the edit list has \(track.edits.count) parts, which only decoding can join")
    }
    if track.kind == .video, track.initialPadding > 0,
      !muxer.description.flags.contains(.hidesPictures)
    {
      return Refusal(
        "the edit list hides "
          + (track.initialPadding == 1 ? "a frame" : "\(track.initialPadding) frames")
          + " at the start, which \(muxer.description.name) cannot do")
    }
    // Padding longer than an encoder's delay comes from an edit list, which the muxer must support. Opus
    // states its pre-skip in its own header.
    if track.kind == .audio, track.codec != "opus", track.initialPadding > 8192,
      !muxer.description.flags.contains(.hidesPictures)
    {
      return Refusal(
        "the edit list hides \(track.initialPadding) audio samples at the start, which "
          + "\(muxer.description.name) cannot do")
    }
    if track.kind == .video, track.reorderDepth > 0, Self.bareStreams.contains(source.format) {
      return Refusal("a raw stream has no presentation times")
    }
    return available.refusal(of: muxer, for: track).map(Refusal.init)
  }

  /// FFmpeg's names of raw streams without a container, in decoding order and without times.
  private static let bareStreams: Set<String> = [
    "h264", "hevc", "vvc", "evc", "mpegvideo", "m4v", "vc1", "cavsvideo", "avs2", "avs3",
  ]

  /// Returns the reason against copying a track whose bit rate is too high; `nil` if it may be copied.
  ///
  /// A rate up to a tenth above the target is accepted, to avoid the loss of another encoding. An unknown
  /// rate does not prevent copying. For the only track of a file, the file's rate is used if the track's is
  /// unknown.
  private func bitRateRefusal(_ track: TrackDescription, _ target: Int64) -> Refusal? {
    let media = source.tracks.filter { $0.kind == .video || $0.kind == .audio }
    let rate = track.bitRate > 0 ? track.bitRate : media.count == 1 ? source.bitRate : 0
    guard rate > 0, rate / 11 > target / 10 else { return nil }
    return Refusal("\(rate) bits a second exceed the \(target) of the preset by more than a tenth")
  }

  private static func pixelFormat(of track: TrackDescription, isAmong allowed: [PixelFormat])
    -> Bool
  {
    if track.pixelFormat != .none { return allowed.contains(track.pixelFormat) }
    // Baseline, Main and High support only 8-bit 4:2:0 (ITU-T H.264 A.2).
    let eightBit = track.codec == "h264" && [66, 77, 88, 100].contains(track.profile ?? 0)
    return eightBit && allowed.contains(.yuv420p)
  }

  private func levelRefusal(_ track: TrackDescription, _ wanted: Preset.Video) -> Refusal? {
    guard let size = wanted.size, let level = track.level,
      let most = H264Level.lowest(
        width: size.width, height: size.height,
        frameRate: max(wanted.frameRate?.doubleValue ?? 0, track.frameRate.doubleValue))
    else { return nil }
    // Level 4.1 differs from 4 only by bit rate.
    let number = most.number == 40 ? 41 : most.number
    guard level > number else { return nil }
    return Refusal(
      "level \(level / 10).\(level % 10) is above \(most.name), which is enough for \(size)")
  }
}
