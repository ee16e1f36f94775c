import RespoolMedia

/// A resolver of the settings of video tracks.
struct VideoResolver {
  private let input: ResolutionInput
  private let passThrough: PassThroughRule
  private let codecs: CodecChoice
  private let fidelity: VideoFidelity
  private let filters: FilterResolver
  private let deinterlacing: Deinterlacing
  private let cropping: Cropping
  /// The subtitle track that is drawn into the frames; `nil` if there is none.
  private let burnt: TrackSelection.BurntTrack?

  /// Encoders that take sides of any length for still images.
  private static let oddEncoders = ["mjpeg", "libwebp", "png", "libjxl", "libaom"]
  /// Lossless encoders that take sides of any length, whose output is an archive and need not play everywhere.
  static let oddLosslessEncoders = ["ffv1", "png"]

  init(_ input: ResolutionInput, drawing burnt: TrackSelection.BurntTrack?) {
    self.input = input
    self.burnt = burnt
    passThrough = PassThroughRule(input)
    codecs = CodecChoice(input)
    fidelity = VideoFidelity(input)
    filters = FilterResolver(input: input)
    deinterlacing = Deinterlacing(input: input)
    cropping = Cropping(input: input)
  }

  /// Resolves the settings of a track, for which the preset has the settings `requested`.
  func resolve(
    _ track: TrackDescription, _ index: Int, _ requested: Preset.Video, _ recorder: DecisionRecorder
  ) throws(MediaError) -> ResolvedSettings.Track.Action {
    switch passThrough.outcome(
      video: track, index, requested, isDrawnOn: burnt != nil && track.isMovingPicture)
    {
    case .copy(let reason):
      recorder.record(.copying, "pass through \(track.codec)", reason)
      return .passThrough
    case .drop(let reason): return .drop(reason: reason)
    case .encode(let refusal):
      if let reason = try codecs.undecodable(track, index: index) { return .drop(reason: reason) }
      if track.width <= 0 || track.height <= 0 {
        let reason =
          track.disposition.contains(.stillImage)
          ? "the size of the image is unknown: the file does not state it, and no decoder can read the image"
          : "its frame size is unknown: the file does not state it, and its first packets give no frame, for "
            + "example because a key frame is missing"
        // Without audio in the output there is nothing to keep.
        guard input.preset.audio != nil, input.source.tracks.contains(where: { $0.kind == .audio })
        else {
          throw MediaError(.malformed, reason, track: index)
        }
        return .drop(reason: reason)
      }
      let (wanted, isLossless) = fidelity.settings(requested, for: track)
      recorder.record(
        .encoding, "convert \(track.codec) to \(wanted.codec)", refusal.reason,
        loss: isLossless ? nil : refusal.loss(of: recorder.subject, as: wanted.codec))
      let added =
        deinterlacing.filters(wanted, for: track, index, recorder)
        + cropping.filters(wanted, for: track, index, recorder)
      var looked: SeenFrames.Wanted = []
      if deinterlacing.looks(at: track, index, wanted) { looked.insert(.fields) }
      if cropping.looks(at: track, index, wanted) { looked.insert(.borders) }
      var track = track
      if let seen = input.seen[index]?.fields { track.fieldOrder = seen.order }
      let filters = try filters.filters(
        added + wanted.filters, addedCount: added.count, of: track, index, recorder)
      var recorder = recorder
      if filters != nil { recorder.input = "the frames after the filters" }
      var conversion = try conversion(
        of: filters?.output ?? track, index, wanted, isLossless: isLossless, recorder)
      conversion.filters = filters
      conversion.looksFor = looked
      DolbyVision.resolve(&conversion, of: track, recorder)
      if let burnt, track.isMovingPicture {
        conversion.subtitles = subtitles(burnt, in: track, filters, conversion.rotation, recorder)
      }
      return .convertVideo(conversion)
    }
  }

  private func conversion(
    of track: TrackDescription, _ index: Int, _ wanted: Preset.Video, isLossless: Bool,
    _ recorder: DecisionRecorder
  ) throws(MediaError) -> VideoConversion {
    codecs.recordDecoder(wanted.decoder, for: track, recorder)
    let encoder = try codecs.encoder(wanted.encoder, for: wanted.codec, recorder)
    let name = encoder.description.name
    let takesOddSides =
      Self.oddLosslessEncoders.contains(name)
      || input.writesStills && Self.oddEncoders.contains(name)
    let size = FrameSize.fit(
      width: track.width, height: track.height, sampleAspect: track.sampleAspect,
      box: wanted.size, enlarge: wanted.upscale, evenSides: !takesOddSides,
      of: recorder.input)
    let isAsked = wanted.size != nil || (size.width, size.height) == (track.width, track.height)
    recorder.record(
      "size", "\(size.width)x\(size.height)", size.reason,
      note: isAsked
        ? nil
        : "\(recorder.subject): the frames become \(size.width)x\(size.height): \(size.reason)")
    let rotation = VideoRotation(
      of: track, size, input.muxer,
      rotatesPixels: wanted.turnsPicture || burnt != nil && track.isMovingPicture, recorder)
    let rate = FrameRateLimit(of: track, limit: wanted.frameRate, recorder)
    let pixelFormat = try PixelFormatChoice(input.preset, wanted, encoder.description)
      .format(for: track, recorder)
    let color = VideoColor(
      of: track, in: pixelFormat, width: rotation.width, height: rotation.height,
      // FFV1 is for archives, which keep the values of the source.
      isLossless: isLossless || wanted.codec == "ffv1",
      stillCodec: input.writesStills ? wanted.codec : nil, recorder)
    if wanted.passThrough == .any { fidelity.recordDepth(of: track, in: pixelFormat, recorder) }
    fidelity.recordViews(of: track, as: wanted.codec, recorder)
    if let interval = wanted.keyFrameInterval {
      recorder.record(
        "keyFrameInterval", interval.decimalText,
        "from the preset: each interval of this many seconds begins with a key frame")
    }
    let passes = encoder.description.flags.contains(.twoPasses) ? wanted.passes : 1
    if wanted.passes > 1 {
      recorder.record(
        "passes", "\(passes)",
        passes > 1
          ? "from the preset: the first pass measures the frames"
          : "\(encoder.description.name) has no second pass",
        note: passes > 1 ? nil : "\(recorder.subject): encoded in one pass instead of two")
    }
    recorder.recordRate(
      quality: wanted.quality, bitRate: wanted.bitRate, of: encoder.description)
    recorder.record(wanted.options, of: encoder.description)
    if wanted.codec == "h264" {
      H264Level.record(
        width: rotation.width, height: rotation.height, frameRate: rate.frameRate,
        given: wanted.options, recorder)
    }
    let fields = VideoFields(
      of: track, rotation, as: wanted.codec, in: pixelFormat, recorder)
    var conversion = VideoConversion(
      encoder: encoder, codec: wanted.codec, width: rotation.width, height: fields.height,
      sampleAspect: rotation.sampleAspect, pixelFormat: pixelFormat, color: color.description,
      rotation: rotation.mode, fieldOrder: fields.order, maximumFrameRate: rate.maximum,
      frameRate: rate.frameRate, keyFrameInterval: wanted.keyFrameInterval, bitRate: wanted.bitRate,
      quality: wanted.quality,
      options: wanted.options, threads: threads(of: encoder.description, size, recorder))
    conversion.passes = passes
    return conversion
  }

  /// Returns the subtitles to draw into a track.
  private func subtitles(
    _ burnt: TrackSelection.BurntTrack, in track: TrackDescription, _ filters: TrackFilters?,
    _ rotation: VideoConversion.RotationMode, _ recorder: DecisionRecorder
  ) -> BurntSubtitles {
    let number = TrackNumber(index: burnt.index)
    recorder.record(
      "burn", "\(number)", "the first rule that selects subtitles selects it",
      note: "\(recorder.subject): the subtitles of \(number) are drawn into the frames")
    var subtitles = BurntSubtitles(
      track: burnt.index, factory: burnt.renderer, width: track.width, height: track.height)
    if case .rotatePixels(let orientation) = rotation {
      if orientation.swapsAxes { (subtitles.width, subtitles.height) = (track.height, track.width) }
    } else if let filters {
      subtitles.crop(by: filters, of: track.pixelFormat)
    }
    return subtitles
  }

  private func threads(
    of encoder: FactoryDescription, _ size: FrameSize, _ recorder: DecisionRecorder
  ) -> Int? {
    guard encoder.flags.contains(.threadsChangeOutput) else { return nil }
    let threads = Self.machineIndependentThreads(
      width: size.width, height: size.height, duration: input.source.duration,
      isOneOfMany: input.isOneOfMany)
    recorder.record(
      "threads", "\(threads)",
      "the output of \(encoder.name) depends on this number, so it is chosen by frame size"
        + (input.isOneOfMany ? " and by the duration of the source, as one of many," : "")
        + " and not by machine")
    return threads
  }

  /// Returns the number of threads for an encoder whose output depends on that number.
  ///
  /// It depends only on the source and the settings, so that every machine makes the same bytes. `duration`
  /// is in nanoseconds. Each of many short clips up to 1280x720 has one core: a second thread slows x264 by
  /// up to a tenth. A long clip gets more, because it may be the last that is left. A file converted alone
  /// has all cores: more threads than cores keep them busy while frames wait for each other. Each thread
  /// needs memory for one more frame, so frames above 1280x720 get only three threads. Frames above
  /// 1920x1080 get eight.
  static func machineIndependentThreads(
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
}
