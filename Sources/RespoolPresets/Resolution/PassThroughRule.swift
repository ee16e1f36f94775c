import RespoolMedia

/// Rule by which a track is copied packet by packet.
struct PassThroughRule {
  enum Outcome {
    case copy(reason: String)
    case drop(reason: String)
    case encode(Refusal)
  }

  /// A reason why a track is re-encoded.
  struct Refusal {
    let reason: String
    /// `true` if the preset would copy the track if possible, and the caller requested nothing that needs
    /// encoding.
    fileprivate let isUnwanted: Bool

    /// Returns the loss by encoding a track that the preset would copy if possible; `nil` if it would not.
    func loss(of subject: ResolvedSettings.Setting.Subject, as codec: String) -> String? {
      isUnwanted ? "\(subject) is encoded again as \(codec), with loss: \(reason)" : nil
    }
  }

  private let input: ResolutionInput

  init(_ input: ResolutionInput) { self.input = input }

  /// Returns the outcome for video; `isDrawnOn` is `true` if subtitles are drawn into its frames.
  func outcome(
    video track: TrackDescription, _ index: Int, _ wanted: Preset.Video, isDrawnOn: Bool
  ) -> Outcome {
    let mode = wanted.passThrough
    return outcome(
      track, index, mode,
      changes: Self.filtering(wanted.filters)
        ?? (wanted.crop == .auto ? "the preset removes its black borders" : nil)
          ?? (isDrawnOn ? "the preset draws subtitles into its frames" : nil),
      refusal: refusal(track, index, mode, codec: wanted.codec)
        ?? rotationRefusal(track) ?? (mode == .auto ? limitRefusal(track, wanted) : nil))
  }

  func outcome(audio track: TrackDescription, _ index: Int, _ wanted: Preset.Audio) -> Outcome {
    let mode = wanted.passThrough
    return outcome(
      track, index, mode,
      changes: Self.filtering(wanted.filters) ?? Self.loudnessChange(wanted),
      refusal: refusal(track, index, mode, codec: wanted.codec)
        ?? (mode == .auto ? limitRefusal(track, wanted) : nil))
  }

  private static func filtering(_ filters: [Preset.Filter]) -> String? {
    filters.isEmpty
      ? nil : "the preset filters it with \(filters.map(\.name).joined(separator: ", "))"
  }

  private static func loudnessChange(_ wanted: Preset.Audio) -> String? {
    guard case .target(let loudness) = wanted.loudness else { return nil }
    return "the preset sets its loudness to \(loudness.decimalText) LUFS"
  }

  /// Returns the outcome; `changes` is the reason for encoding that the preset asks for, and `refusal` one that it does
  /// not.
  private func outcome(
    _ track: TrackDescription, _ index: Int, _ mode: Preset.PassThrough, changes: String?,
    refusal: String?
  ) -> Outcome {
    guard let refusal = changes ?? refusal else {
      return .copy(
        reason: mode == .auto
          ? "the track is already \(track.codec) and within every limit of the preset"
          : "\(muxerName) carries \(track.codec)")
    }
    if mode == .only { return .drop(reason: "the track cannot be copied: \(refusal)") }
    return .encode(
      Refusal(
        reason: refusal,
        isUnwanted: mode == .any && changes == nil && input.uncopied[index] == nil))
  }

  private var muxerName: String { input.muxer.name }
  private var hidesSamples: Bool { input.muxer.flags.contains(.hidesPictures) }

  // MARK: Of every track

  private func refusal(
    _ track: TrackDescription, _ index: Int, _ mode: Preset.PassThrough, codec: String
  ) -> String? {
    if let reason = input.uncopied[index] { return reason }
    if track.kind == .audio, track.sampleRate <= 0 { return "its sample rate is unknown" }
    if mode == .never { return "the preset always re-encodes (passthrough: never)" }
    if mode == .auto, track.codec != codec {
      let actual = track.codec.isEmpty ? "of an unknown codec" : track.codec
      return "the track is \(actual), not \(codec)"
    }
    if input.source.format == MediaDescription.editedFormat {
      // Some players show the wrong part of joined segments, and presets with limits are made for all
      // players.
      if mode == .auto {
        return "the track is edited from several clips; only presets with `passthrough: any` or "
          + "`only` can copy it"
      }
      if !input.muxer.flags.contains(.joinsPieces) {
        return "the track is edited from several clips, which \(muxerName) cannot join"
      }
      if input.cutClips.contains(index), !hidesSamples {
        return "the track uses parts of clips, and "
          + "\(muxerName) cannot hide samples needed to decode them"
      }
    }
    if mode == .auto, !track.furtherSampleDescriptions.isEmpty {
      return
        "the track has \(track.sampleDescriptions.count) sample descriptions, which not every "
        + "player "
        + "supports"
    }
    // Packets of several edits repeat and overlap; only decoding can join them in one timeline.
    if track.edits.count(where: { $0.mediaStart != nil }) > 1 {
      return "the edit list has \(track.edits.count) parts, which only decoding can join"
    }
    // Times of video can express any speed; audio of a packet always lasts as long as it was coded for.
    if track.kind == .audio, let rate = track.changedRate,
      !input.muxer.flags.contains(.keepsEditRates)
    {
      return "the edit list plays the audio at rate \(rate.decimalText), which \(muxerName) "
        + "cannot store"
    }
    if let hidden = hiddenStart(of: track), !hidesSamples {
      return "the edit list hides \(hidden) at the start, which \(muxerName) cannot do"
    }
    if track.kind == .video, track.reorderDepth > 0, Self.bareStreams.contains(input.source.format)
    {
      return "a raw stream has no presentation times"
    }
    return input.refusal(of: track)
  }

  /// Returns the samples that an edit list hides at the start; `nil` if there are none.
  private func hiddenStart(of track: TrackDescription) -> String? {
    let frames = track.hiddenFrameCount
    if frames > 0 { return frames == 1 ? "a frame" : "\(frames) frames" }
    // Padding longer than an encoder's delay comes from an edit list, which the muxer must support. Lossless
    // encoders have no delay. Opus states its pre-skip in its own header.
    let samples = track.initialPadding
    let delay = LosslessAudio.codecs.contains(track.codec) ? 0 : 8192
    guard track.kind == .audio, track.codec != "opus", samples > delay else { return nil }
    return "\(samples) audio samples"
  }

  /// FFmpeg's names of raw streams without a container, in decoding order and without times.
  private static let bareStreams: Set<String> = [
    "h264", "hevc", "vvc", "evc", "mpegvideo", "m4v", "vc1", "cavsvideo", "avs2", "avs3",
  ]

  // MARK: Of video

  private func rotationRefusal(_ track: TrackDescription) -> String? {
    track.displayMatrix.orientation.isUpright || input.muxer.flags.contains(.keepsRotation)
      ? nil : "\(muxerName) cannot store the rotation"
  }

  private func limitRefusal(_ track: TrackDescription, _ wanted: Preset.Video) -> String? {
    if let size = wanted.size {
      guard track.width > 0, track.height > 0 else { return "the track states no frame size" }
      let fitted = FrameSize.fit(
        width: track.width, height: track.height, sampleAspect: track.sampleAspect, box: size,
        enlarge: wanted.upscale)
      if fitted.width != track.width & ~1 || fitted.height != track.height & ~1 {
        return "\(track.width)x\(track.height) does not fit \(size)"
      }
    }
    if let limit = wanted.frameRate {
      guard track.frameRate.isPositive else {
        return "the track states no frame rate, and the preset sets a limit"
      }
      if track.frameRate.doubleValue > limit.doubleValue {
        return "\(track.frameRate.decimalText) frames a second exceed \(limit.decimalText)"
      }
    }
    let allowed = wanted.allowedPixelFormats
    if !allowed.isEmpty, !Self.pixelFormat(of: track, isAmong: allowed) {
      return "the pixel format \(track.pixelFormat.name) is not allowed"
    }
    if wanted.codec == "h264", let refusal = levelRefusal(track, wanted) { return refusal }
    return wanted.bitRate.flatMap { bitRateRefusal(track, $0) }
  }

  private static func pixelFormat(of track: TrackDescription, isAmong allowed: [PixelFormat])
    -> Bool
  {
    if track.pixelFormat != .none { return allowed.contains(track.pixelFormat) }
    // Baseline, Main and High support only 8-bit 4:2:0 (ITU-T H.264 A.2).
    let eightBit = track.codec == "h264" && [66, 77, 88, 100].contains(track.profile ?? 0)
    return eightBit && allowed.contains(.yuv420p)
  }

  private func levelRefusal(_ track: TrackDescription, _ wanted: Preset.Video) -> String? {
    guard let size = wanted.size, let level = track.level,
      let most = H264Level.lowest(
        width: size.width, height: size.height,
        frameRate: max(wanted.frameRate?.doubleValue ?? 0, track.frameRate.doubleValue))
    else { return nil }
    // Level 4.1 differs from 4 only by bit rate.
    let number = most.number == 40 ? 41 : most.number
    guard level > number else { return nil }
    return "level \(level / 10).\(level % 10) is above \(most.name), which is enough for \(size)"
  }

  // MARK: Of audio

  private func limitRefusal(_ track: TrackDescription, _ wanted: Preset.Audio) -> String? {
    if let rate = wanted.sampleRate, track.sampleRate != rate {
      return "\(track.sampleRate) Hz is not the \(rate) of the preset"
    }
    let layout = track.channelLayout
    if let channels = wanted.channels, layout.channelCount == 0 || layout.channelCount > channels {
      return "\(layout) is more than the \(channels.counting("channel")) of the preset"
    }
    // FFmpeg numbers AAC's audio object types from 0: 1 is LC.
    if wanted.codec == "aac", let profile = wanted.options.last(where: { $0.name == "profile" }),
      track.profile != 1 || !["lc", "aac_low"].contains(profile.value)
    {
      return "the preset asks for the profile \(profile.value)"
    }
    return wanted.bitRate(for: layout).flatMap { bitRateRefusal(track, $0) }
  }

  /// Returns the reason against copying a track whose bit rate is too high; `nil` if it may be copied.
  ///
  /// A rate up to a tenth above the target is accepted, to avoid the loss of another encoding. An unknown
  /// rate does not prevent copying. For the only track of a file, the file's rate is used if the track's is
  /// unknown.
  private func bitRateRefusal(_ track: TrackDescription, _ target: Int64) -> String? {
    let media = input.source.tracks.filter { $0.kind == .video || $0.kind == .audio }
    let rate = track.bitRate > 0 ? track.bitRate : media.count == 1 ? input.source.bitRate : 0
    guard rate > 0, rate / 11 > target / 10 else { return nil }
    return
      "\(rate.counting("bit")) a second exceed the \(target) of the preset by more than a tenth"
  }
}
