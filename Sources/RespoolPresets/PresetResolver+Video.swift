package import RespoolMedia

extension PresetResolver {
  package mutating func video(
    _ track: TrackDescription, about subject: Subject, index: Int
  )
    throws(MediaError) -> ResolvedSettings.Track.Action
  {
    guard var wanted = preset.video else { return .drop(reason: "the preset makes no video") }
    var faithful = FaithfulVideo(video: wanted)
    switch passThrough(video: track, index: index, wanted) {
    case .success(let reason):
      record(subject.copying, "pass through \(track.codec)", reason)
      return .passThrough
    case .failure(let refusal):
      if wanted.passThrough == .only {
        return .drop(reason: "the track cannot be copied: \(refusal.reason)")
      }
      if let reason = try undecodable(track, index: index) { return .drop(reason: reason) }
      faithful = self.faithful(wanted, to: track)
      wanted = faithful.video
      record(
        subject.encoding, "convert \(track.codec) to \(wanted.codec)", refusal.reason,
        loss: faithful.isLossless
          ? nil : loss(of: index, about: subject, as: wanted.codec, wanted.passThrough, refusal))
    }
    let encoder = try chooseEncoder(wanted.encoder, for: wanted.codec, about: subject)
    guard track.width > 0, track.height > 0 else {
      throw MediaError(
        .malformed, "the track states no frame size", track: index)
    }

    let size = FrameSize.fit(
      width: track.width, height: track.height, sampleAspect: track.sampleAspect,
      box: wanted.size, enlarge: wanted.upscale)
    record(subject.setting("size"), "\(size.width)x\(size.height)", size.reason)
    var conversion = VideoConversion(
      encoder: encoder, codec: wanted.codec, width: size.width, height: size.height,
      sampleAspect: size.sampleAspect, pixelFormat: .none, color: track.color,
      rotation: .keepMatrix(.identity), fieldOrder: track.fieldOrder, maximumFrameRate: nil,
      frameRate: track.frameRate,
      bitRate: wanted.bitRate, quality: wanted.quality, options: wanted.options, threads: nil)
    settleRotation(of: track, wanted, in: &conversion, about: subject)
    settleFrameRate(of: track, limit: wanted.frameRate, in: &conversion, about: subject)
    try settlePixelFormat(of: track, wanted, in: &conversion, about: subject)
    settleColor(of: track, in: &conversion, isLossless: faithful.isLossless, about: subject)
    recordLoss(of: track, in: conversion, faithful, about: subject)
    recordLayers(of: track, as: wanted.codec, about: subject)
    settleRateControl(of: wanted, about: subject)
    if wanted.codec == "h264" { explainLevel(of: conversion, about: subject) }
    settleFields(of: track, in: &conversion, about: subject)
    if encoder.description.flags.contains(.threadsChangeOutput) {
      let threads = Self.machineIndependentThreads(
        width: size.width, height: size.height, duration: source.duration,
        isOneOfMany: isOneOfMany)
      conversion.threads = threads
      record(
        subject.setting("threads"), "\(threads)",
        "the output of \(encoder.description.name) depends on this number, so it is chosen by "
          + "frame size"
          + (isOneOfMany ? " and by the duration of the source, as one of many," : "")
          + " and not by machine")
    }
    return .convertVideo(conversion)
  }

  /// Returns the number of threads for an encoder whose output depends on that number.
  ///
  /// It depends only on the source and the settings, so that every machine makes the same bytes. `duration`
  /// is in nanoseconds. Each of many short clips up to 1280x720 has one core: a second thread slows x264 by
  /// up to a tenth. A long clip gets more, because it may be the last that is left. A file converted alone
  /// has all cores: more threads than cores keep them busy while frames wait for each other. Each thread
  /// needs memory for one more frame, so frames above 1280x720 get only three threads. Frames above
  /// 1920x1080 get eight.
  public static func machineIndependentThreads(
    width: Int, height: Int, duration: Int64?, isOneOfMany: Bool
  ) -> Int {
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    if overflow { return 8 }
    guard area <= 1280 * 720 else { return area <= 1920 * 1080 ? 3 : 8 }
    let isSmall = area < 640 * 480
    guard isOneOfMany else { return isSmall ? 3 : 6 }
    let isShort = duration.map { $0 < 300_000_000_000 } ?? false
    return isShort || isSmall ? 1 : 3
  }

  private mutating func settleRotation(
    of track: TrackDescription, _ wanted: Preset.Video, in conversion: inout VideoConversion,
    about subject: Subject
  ) {
    let matrix = track.displayMatrix
    let orientation = matrix.orientation
    guard !orientation.isUpright || matrix.isOblique || matrix.isScaledOrSkewed else { return }
    let rotation = "\(matrix.displayedDegrees)°" + (matrix.isMirrored ? ", mirrored" : "")
    let isKept = muxer.description.flags.contains(.keepsRotation)
    if isKept, !wanted.turnsPicture {
      conversion.rotation = .keepMatrix(matrix)
      record(
        subject.setting("rotation"), "\(rotation) as metadata",
        "\(muxer.description.name) carries it")
      return
    }
    // To the nearest multiple of 90 degrees.
    guard !orientation.isUpright else { return }
    conversion.rotation = .rotatePixels(orientation)
    if orientation.swapsAxes {
      swap(&conversion.width, &conversion.height)
      conversion.sampleAspect = conversion.sampleAspect.inverse
    }
    record(
      subject.setting("rotation"), "\(rotation) turned to \(conversion.width)x\(conversion.height)",
      isKept
        ? "the frames are rotated as requested"
        : "\(muxer.description.name) cannot store a rotation, so the frames are rotated")
  }

  private mutating func settleFrameRate(
    of track: TrackDescription, limit: Rational?, in conversion: inout VideoConversion,
    about subject: Subject
  ) {
    let rate = track.frameRate.isPositive ? track.frameRate.decimalText : "unknown"
    guard let limit, limit.isPositive else {
      record(subject.setting("frameRate"), rate, "as the source; the preset sets no limit")
      return
    }
    let peak = max(track.frameRate.doubleValue, track.baseFrameRate.doubleValue)
    if track.frameRate.isPositive, peak <= limit.doubleValue {
      record(
        subject.setting("frameRate"), rate,
        "as the source; within the limit of \(limit.decimalText)")
      return
    }
    conversion.maximumFrameRate = limit
    if track.frameRate.isPositive, track.frameRate.doubleValue <= limit.doubleValue {
      record(
        subject.setting("frameRate"), "\(rate), at most \(limit.decimalText)",
        "the rate may vary; frames that come sooner than the limit allows are left out")
      return
    }
    conversion.frameRate = track.frameRate.isPositive ? limit : .unknown
    record(
      subject.setting("frameRate"), "at most \(limit.decimalText)",
      track.frameRate.isPositive
        ? "the source has \(rate)" : "the source states no frame rate")
  }

  private mutating func settleRateControl(
    of wanted: Preset.Video, about subject: Subject
  ) {
    if let quality = wanted.quality {
      record(
        subject.setting("quality"), quality.decimalText, "from the preset, on the codec's own scale"
      )
    }
    if let bitRate = wanted.bitRate {
      record(subject.setting("bitRate"), "\(bitRate)", "from the preset")
    }
    for option in wanted.options {
      record(subject.setting("options.\(option.name)"), option.value, "from the preset")
    }
  }

  private mutating func explainLevel(
    of conversion: VideoConversion, about subject: Subject
  ) {
    if let given = conversion.options.last(where: { $0.name == "level" }) {
      record(subject.setting("level"), given.value, "from the preset")
      return
    }
    let rate = conversion.frameRate.doubleValue
    let text = rate > 0 ? conversion.frameRate.decimalText : "an unknown number of"
    guard
      let level = H264Level.lowest(
        width: conversion.width, height: conversion.height, frameRate: rate)
    else {
      record(
        subject.setting("level"), "none",
        "\(conversion.width)x\(conversion.height) at \(text) frames a second is beyond level 6.2",
        isWarning: true)
      return
    }
    record(
      subject.setting("level"), level.name,
      "the lowest for \(conversion.width)x\(conversion.height) at \(text) frames a second "
        + "(H.264 table A-1); the encoder writes it, or a higher one if its options need that")
  }

  // MARK: Plugins

  mutating func chooseEncoder(
    _ wanted: String?, for codec: String, about subject: Subject
  )
    throws(MediaError) -> AvailablePlugins.Factory
  {
    let all = available.encoders(for: codec)
    if let wanted {
      guard let encoder = available.encoder(named: wanted) else {
        throw MediaError(
          .unsupported,
          "no plugin has the encoder \(wanted), which preset \(preset.name) asks for; for \(codec) "
            + "there are \(Self.list(all.map(\.description.name)))", file: preset.path)
      }
      guard encoder.description.codecs.contains(codec) else {
        throw MediaError(
          .unsupported,
          "encoder \(wanted) makes \(Self.list(encoder.description.codecs)), not \(codec)",
          file: preset.path)
      }
      record(subject.setting("encoder"), wanted, "named by the preset")
      return encoder
    }
    guard let encoder = all.first else {
      throw MediaError(
        .unsupported, "no plugin encodes \(codec), which preset \(preset.name) asks for",
        file: preset.path, detail: .encoderNotFound)
    }
    record(
      subject.setting("encoder"), encoder.description.name,
      all.count == 1
        ? "the only installed encoder of \(codec)"
        : "the best-ranked of \(all.count) encoders of \(codec)")
    return encoder
  }

  /// Returns the reason why a track cannot be decoded and is left out; `nil` if it can be decoded.
  ///
  /// Throws unless the preset takes all tracks and another one of this kind can be decoded. Without decoders in
  /// the list, nothing is known, and the track is kept.
  mutating func undecodable(_ track: TrackDescription, index: Int) throws(MediaError) -> String? {
    guard track.codec != TrackDescription.editedCodec, !available.all(.decoder).isEmpty,
      available.decoders(for: track.codec).isEmpty
    else {
      return nil
    }
    let codec = track.codec.isEmpty ? "the unknown codec of the track" : track.codec
    let others = source.tracks.filter {
      $0.kind == track.kind && !available.decoders(for: $0.codec).isEmpty
    }
    if preset.tracks == .all, !others.isEmpty { return "no plugin decodes \(codec)" }
    throw MediaError(
      .unsupported, "no plugin decodes \(codec)", track: index,
      detail: track.isProtected ? .contentIsProtected : .decoderNotFound)
  }
}
