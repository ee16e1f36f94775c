import RespoolPlugin

/// A builder of a track's description from its entry and its first frames.
struct TrackDescriber {
  let entry: TrackEntry
  /// Duration of a timestamp tick in seconds.
  let tick: Rational
  let survey: Survey.Track
  /// Duration of the segment in nanoseconds.
  ///
  /// `nil` if unknown.
  var mediaDuration: Int64?

  /// Returns the description.
  ///
  /// Times are in units of `tick`.
  ///
  /// Throws `unsupported` if another plugin describes the track better: see ``CodecIdentifier``.
  func describe(_ identifier: CodecIdentifier) throws(MediaError) -> TrackDescription {
    let kind: TrackDescription.Kind =
      switch entry.type {
      case TrackEntry.videoType: .video
      case TrackEntry.audioType: .audio
      case TrackEntry.subtitleType: .subtitle
      default: .data
      }
    var track = TrackDescription(kind: kind, codec: identifier.codec, timeBase: tick)
    track.codecTag = identifier.tag
    track.id = Int64(clamping: entry.number)
    track.disposition = entry.disposition
    track.language = entry.spokenLanguage
    if !entry.name.isEmpty { track.metadata.append(MetadataEntry("title", entry.name)) }
    track.extradata = identifier.extradata
    track.sideData = TrackExtras(entry).sideData
    switch kind {
    case .video: try describeVideo(&track, identifier)
    case .audio: try describeAudio(&track, identifier)
    default:
      if track.codec == "subrip" || identifier.form == .cue { track.extradata = [] }
    }
    return track
  }

  // MARK: Video

  private func describeVideo(
    _ track: inout TrackDescription, _ identifier: CodecIdentifier
  ) throws(MediaError) {
    let video = entry.video
    track.bitsPerSample = identifier.bits ?? 0
    // No codec has larger frames. The limit keeps products of the sizes small.
    guard video.pixelWidth <= 1 << 20, video.pixelHeight <= 1 << 20 else {
      throw MediaError(
        .malformed,
        "the frame size is \(video.pixelWidth)x\(video.pixelHeight); at most 1048576 a side",
        path: "Segment/Tracks/TrackEntry/Video")
    }
    (track.width, track.height) = (video.pixelWidth, video.pixelHeight)
    track.sampleAspect = video.sampleAspect
    track.color = video.color
    track.fieldOrder = video.order
    track.displayMatrix = video.displayMatrix
    track.sideData = video.mastering.sideData + track.sideData
    if let record = video.fieldRecord { track.sideData.append(record) }
    if let size = DisplaySize(video) { track.sideData.append(size.record) }
    let crop = video.crop
    let width = track.width - crop.left - crop.right
    let height = track.height - crop.top - crop.bottom
    if (crop.left, crop.top, crop.right, crop.bottom) != (0, 0, 0, 0), width > 0, height > 0,
      [crop.left, crop.top, crop.right, crop.bottom].allSatisfy({ (0..<(1 << 20)).contains($0) })
    {
      track.cleanAperture = CleanAperture(
        width: Rational(Int32(width), 1), height: Rational(Int32(height), 1),
        horizontalOffset: Rational(Int32(crop.left - crop.right), 2),
        verticalOffset: Rational(Int32(crop.top - crop.bottom), 2))
    }
    switch track.codec {
    case "h264", "hevc":
      // Without the record, the parameter sets are in the stream, which requires a parser.
      guard track.codec == "h264" ? track.extradata.first == 1 : Self.isHEVCRecord(track.extradata)
      else { throw Self.unsupported("\(track.codec) without a configuration record") }
      track.readVideoConfiguration()
    case "av1":
      guard AV1Configuration.isRecord(track.extradata) else {
        throw Self.unsupported("AV1 without a configuration record")
      }
      track.readVideoConfiguration()
    case "vp9": try readVP9(&track)
    case "vp8": track.readVideoConfiguration()
    case "mjpeg": readJPEG(&track)
    case "prores":
      guard track.extradata.count >= 4 else {
        throw Self.unsupported("ProRes without the code of its profile")
      }
      for (index, byte) in track.extradata.prefix(4).enumerated() {
        track.codecTag |= UInt32(byte) << UInt32(8 * index)
      }
      track.extradata = []
      let name =
        track.codecTag & 0xFFFF_00FF == FourCC("ap4h").tag & 0xFFFF_00FF
        ? "yuv444p12le" : "yuv422p10le"
      track.pixelFormat = PixelFormat(name: name) ?? .none
    default: readFrameProperties(&track, identifier)
    }
    if Self.reorderedCodecs.contains(track.codec) {
      track.reorderDepth = max(track.reorderDepth, survey.reorderDepth)
    } else {
      track.reorderDepth = 0
    }
    readRate(&track)
  }

  private static let reorderedCodecs: Set<String> = [
    "h264", "hevc", "mpeg4", "mpeg1video", "mpeg2video", "dirac", "rv20", "rv30", "rv40", "avs2",
    "avs3", "cavs", "wmv3", "vc1",
  ]

  private static func unsupported(_ what: String) -> MediaError {
    MediaError(.unsupported, "this plugin does not read " + what)
  }

  /// Returns `true` for hvcC.
  ///
  /// Before the standard was final, writers used version 0.
  private static func isHEVCRecord(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 23 && !AnnexB.isByteStream(bytes)
  }

  private func readVP9(_ track: inout TrackDescription) throws(MediaError) {
    let header: VP9FrameHeader
    do throws(MediaError) { header = try VP9FrameHeader(survey.firstFrame[...]) } catch {
      // The first frame is missing or damaged.
      guard let stored = try? VPCodecConfiguration(webM: track.extradata),
        stored.profile > 0 || !track.extradata.isEmpty
      else { return }
      track.profile = Int32(stored.profile)
      let name = ["yuv420p", "yuv420p", "yuv422p", "yuv444p"][Int(min(stored.chromaSubsampling, 3))]
      track.pixelFormat =
        PixelFormat(name: stored.bitDepth > 8 ? "\(name)\(stored.bitDepth)le" : name) ?? .none
      return
    }
    track.profile = Int32(header.profile)
    track.pixelFormat = header.pixelFormat
    track.color = track.color.completed(by: header.color, isYUV: !header.isRGB)
    if header.isRGB { track.color.matrix = H273.Matrix.identity }
  }

  /// Reads the frame header of a JPEG image (ITU-T T.81 B.2.2), which has size and sampling.
  private func readJPEG(_ track: inout TrackDescription) {
    guard let header = JPEGFrameHeader(survey.firstFrame) else { return }
    track.pixelFormat = header.pixelFormat
    guard header.pixelFormat != .none else { return }
    let range: ColorDescription.Range = header.hasLimitedRange ? .limited : .full
    if track.color.range == .unspecified { track.color.range = range }
    // JFIF has the matrix of BT.601.
    if header.pixelFormat != .gray, track.color.matrix == H273.unspecified {
      track.color.matrix = H273.Matrix.bt470BG
    }
  }

  /// Sets the frame rates from DefaultDuration or from the times of the first frames.
  private func readRate(_ track: inout TrackDescription) {
    let stored = entry.defaultDuration.map(Self.frameRate(ofDuration:))
    let measured = survey.frameRate(tick: tick)
    if let stored, stored.isPositive {
      track.frameRate = stored
      if survey.isSteady(at: stored, tick: tick) { track.baseFrameRate = stored }
      return
    }
    if let measured {
      track.frameRate = measured.rate
      if measured.isSteady { track.baseFrameRate = measured.rate }
    }
  }

  /// Returns the rate of frames with a duration in nanoseconds, rounded to a common rate.
  static func frameRate(ofDuration nanoseconds: UInt64) -> Rational {
    Rational.nearest(1_000_000_000, Int64(clamping: nanoseconds), limit: 30000)
  }

  // MARK: Audio

  private func describeAudio(
    _ track: inout TrackDescription, _ identifier: CodecIdentifier
  ) throws(MediaError) {
    let audio = entry.audio
    let rate = audio.outputSamplingFrequency ?? audio.samplingFrequency
    track.sampleRate = rate >= 1 && rate <= 1e7 ? Int(rate.rounded()) : 0
    track.channelLayout = .standard(min(max(audio.channels, 0), 255))
    track.bitsPerSample = min(max(identifier.bits ?? audio.bitDepth, 0), 64)
    if let wave = identifier.wave { read(wave, into: &track) }
    switch track.codec {
    case "aac": try readAAC(&track)
    case "opus":
      if track.extradata.isEmpty, (1...2).contains(audio.channels) {
        track.extradata = OpusConfiguration(channelCount: UInt8(audio.channels), preSkip: 0).head
      }
      let head = try OpusConfiguration(head: track.extradata)
      track.channelLayout = .vorbis(Int(head.channelCount))
    case "vorbis":
      _ = try XiphLacing.split(track.extradata)
      track.channelLayout = .vorbis(max(0, min(audio.channels, 255)))
    case "flac":
      guard track.extradata.count >= 42, track.extradata.starts(with: Array("fLaC".utf8)) else {
        throw Self.unsupported("FLAC without STREAMINFO")
      }
      track.channelLayout = FLACStreamInfo.layout(
        track.channelLayout.channelCount, inBlocks: track.extradata[4...])
      track.extradata = Array(track.extradata[8..<42])
    case "alac":
      if track.extradata.count >= 24, track.extradata.count < 36 {
        track.extradata =
          [0, 0, 0, UInt8(track.extradata.count + 12)] + Array("alac".utf8) + [0, 0, 0, 0]
          + track.extradata
      }
    case let codec where codec.hasPrefix("pcm_"):
      track.extradata = []
      // Matroska stores no loudspeakers; those of more than two channels would be a guess.
      let count = track.channelLayout.channelCount
      if count > 2, identifier.wave?.mask ?? 0 == 0 {
        track.channelLayout = ChannelLayout(channelCount: count)
      }
      track.blockAlign = 0
      if codec.hasPrefix("pcm_s64") { (track.sampleFormat, track.bitsPerSample) = (.none, 64) }
      track.takeFactsOfPCM()
      if track.blockAlign == 0 { track.blockAlign = track.bitsPerSample / 8 * count }
      track.bitRate = Int64(track.blockAlign) * 8 * Int64(track.sampleRate)
    case "ac3", "eac3", "mp1", "mp2", "mp3", "dts", "truehd", "mlp": track.extradata = []
    default: readAudioProperties(&track)
    }
    track.readAudioConfiguration()
    readFirstFrame(&track)
    let tick = Rational.nanoseconds
    let samples = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    track.initialPadding = Int(tick.convert(Int64(clamping: entry.codecDelay), to: samples))
    if track.codec == "opus", let head = try? OpusConfiguration(head: track.extradata) {
      track.initialPadding = max(track.initialPadding, Int(head.preSkip))
    }
    if entry.seekPreRoll > 0 {
      track.seekPreroll = Int(tick.convert(Int64(clamping: entry.seekPreRoll), to: samples))
    }
  }

  /// Validates the AudioSpecificConfig, or derives it from an obsolete codec identifier.
  private func readAAC(_ track: inout TrackDescription) throws(MediaError) {
    guard track.extradata.isEmpty else {
      _ = try AudioSpecificConfiguration(track.extradata)
      return
    }
    let parts = entry.codecID.split(separator: "/")
    let profiles: [Substring: UInt8] = ["MAIN": 1, "LC": 2, "SSR": 3, "LTP": 4]
    guard parts.count >= 3, let type = profiles[parts[2]], entry.audio.samplingFrequency < 1e6,
      entry.audio.samplingFrequency >= 1, (1...7).contains(entry.audio.channels)
    else { throw Self.unsupported("AAC without AudioSpecificConfig") }
    track.extradata =
      AudioSpecificConfiguration(
        objectType: type, sampleRate: Int(entry.audio.samplingFrequency),
        channelConfiguration: UInt8(entry.audio.channels)
      ).bytes
  }

  /// Sets properties from the first frame's header, which is more exact than the track entry.
  private func readFirstFrame(_ track: inout TrackDescription) {
    let head = survey.firstFrame.prefix(AudioLength.headSize)
    switch track.codec {
    case "ac3", "eac3":
      guard let header = head.withUnsafeBytes({ AC3Configuration($0) }) else { return }
      if header.channelLayout.channelCount == track.channelLayout.channelCount
        || track.codec == "ac3"
      {
        track.channelLayout = header.channelLayout
      }
      track.bitRate = Int64(header.bitRate)
    case "dts":
      if let layout = DTSFrameHeader(head)?.channelLayout,
        layout.channelCount == track.channelLayout.channelCount
      {
        track.channelLayout = layout
      }
    case "truehd", "mlp":
      track.bitsPerSample = min(max(entry.audio.bitDepth, 0), 64)
      // An access unit lasts 1/1200 s, or 1/1102.5 s.
      track.frameSize = track.sampleRate > 96000 ? 160 : track.sampleRate > 48000 ? 80 : 40
      track.sampleFormat = track.bitsPerSample > 16 || track.bitsPerSample == 0 ? .s32 : .s16
    default: break
    }
  }
}

extension Rational {
  /// Returns the best approximation of a ratio with numerator and denominator up to `limit`.
  static func nearest(_ numerator: Int64, _ denominator: Int64, limit: Int64) -> Rational {
    var (n, d) = (Int128(numerator), Int128(denominator))
    guard n > 0, d > 0 else { return .unknown }
    var before: (p: Int128, q: Int128) = (0, 1)
    var best: (p: Int128, q: Int128) = (1, 0)
    while d > 0 {
      let whole = n / d
      let next = (p: whole * best.p + before.p, q: whole * best.q + before.q)
      guard next.p <= limit, next.q <= limit else { break }
      (before, best) = (best, next)
      (n, d) = (d, n % d)
    }
    guard best.q > 0 else { return .unknown }
    return Rational(Int32(best.p), Int32(best.q))
  }
}
