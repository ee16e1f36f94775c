import RespoolMedia

/// Maximum size of an output, which is met by passes with lower bit rates.
struct FileLengthLimit {
  /// Fraction by which a file may be smaller than its limit before another pass.
  private static let tolerance = 0.02
  /// Maximum number of passes after the first.
  private static let mostPasses = 4

  let bytes: Int64
  /// `true` if a file that is larger by any amount fails; else it may exceed the limit by 2 %.
  let isExact: Bool

  /// Creates the limit of a session or, if that has none, of its preset; `nil` if neither has one.
  init?(_ configuration: ExportConfiguration, _ settings: ResolvedSettings) {
    let own = configuration.fileLengthLimit
    guard let bytes = own > 0 ? own : settings.applied.fileSizeLimit else { return nil }
    (self.bytes, isExact) = (bytes, own <= 0)
  }

  /// Writes a file with the preset's settings, and again with lower bit rates if the file exceeds the limit.
  ///
  /// The second pass uses the bit rates that the limit allows. More passes follow while the result is more than 2
  /// % off. The largest file within the limit is kept, else the smallest. `pass` writes a file with settings; it
  /// gets the number of the pass.
  func meet(
    at path: String, _ settings: ResolvedSettings, _ media: MediaDescription,
    _ progress: @escaping @Sendable (Double) -> Void,
    by pass: (
      _ path: String, ResolvedSettings, _ number: Int, @escaping @Sendable (Double) -> Void
    ) throws(MediaError) -> ExportReport
  ) throws(MediaError) -> ExportReport {
    let limit = Double(bytes)
    let wanted = limit * (1 - Self.tolerance / 2)
    /// Bits per second at which the file has the wanted size, and the rates by which the tracks have them.
    var wantedRate = 0.0
    var rates: ExportRates?
    var best: (settings: ResolvedSettings, report: ExportReport, size: Double, number: Int)?
    var latest = 0
    /// Writes the file, in place of that of the last pass.
    func write(_ settings: ResolvedSettings, _ number: Int) throws(MediaError) -> (
      report: ExportReport, size: Double
    ) {
      if best != nil { FileSink.makeRoom(at: path) }
      latest = number
      let before = Double(number) / 2
      let report = try pass(path, settings, number) { done in
        progress(min(0.999, before + done / 2))
      }
      return (report, Double(try FileSource(path: path).size))
    }
    for number in 0...Self.mostPasses {
      let lowered = rates?.applied(to: settings) ?? settings
      let (report, size) = try write(lowered, number)
      let isBetter =
        best.map { size <= limit ? $0.size > limit || $0.size < size : $0.size > size } ?? true
      if isBetter { best = (lowered, report, size, number) }
      if size <= limit, number == 0 || size >= limit * (1 - Self.tolerance) { break }
      guard rates != nil else {
        // The source may state no duration, or a wrong one.
        guard report.duration > 0 else {
          FileSink.makeRoom(at: path)
          throw MediaError(
            .unsupported, "the file size cannot be limited: nothing that was written has a duration"
          )
        }
        wantedRate = wanted * 8 / report.duration
        rates = ExportRates(settings, media, bitsPerSecond: wantedRate)
        continue
      }
      let hasChanged = rates?.adapt(to: wantedRate, after: size * 8 / report.duration) ?? false
      guard hasChanged else { break }
    }
    guard var best else { throw MediaError(.internal, "no pass was made") }
    guard best.size <= limit * (isExact ? 1 : 1 + Self.tolerance) else {
      FileSink.makeRoom(at: path)
      throw MediaError(
        .unsupported,
        "\(bytes) bytes are too few for these settings: the smallest of "
          + "\((latest + 1).counting("file")) has \(Int64(best.size)); smaller frames need fewer bytes, "
          + "and so does audio that is not copied (passthrough: never)")
    }
    if best.number != latest {
      (best.report, best.size) = try write(best.settings, best.number)
      guard best.size <= limit * (isExact ? 1 : 1 + Self.tolerance) else {
        FileSink.makeRoom(at: path)
        throw MediaError(.internal, "a repeated pass gave a larger file")
      }
    }
    if best.number > 0 {
      best.report.notes.append(
        "bit rates are lower than the preset states, so that the file has \(bytes) bytes at most")
    }
    return best.report
  }
}

/// The bit rates of an export whose length is limited.
private struct ExportRates {
  private var video: [Int: Int64] = [:]
  private var audio: [Int: Int64] = [:]
  /// Bits per second of the tracks that are passed through.
  private var copied = 0.0

  /// Distributes the total bit rate.
  ///
  /// Each audio track gets the preset's rate, at most a third of the total. Video tracks share the rest. Without
  /// video, the audio tracks share it.
  init(_ settings: ResolvedSettings, _ media: MediaDescription, bitsPerSecond total: Double) {
    var left = total
    var videoTracks: [Int] = []
    for track in settings.outputTracks {
      switch track.action {
      case .convertVideo: videoTracks.append(track.source)
      case .convertAudio(let conversion):
        let rate = Self.rate(min(Double(conversion.bitRate ?? 128_000), total / 3))
        audio[track.source] = rate
        left -= Double(rate)
      case .convertCaptions, .passThrough, .drop:
        copied += Double(media.tracks[track.source].bitRate)
      }
    }
    left -= copied
    for source in videoTracks { video[source] = Self.rate(left / Double(videoTracks.count)) }
    if videoTracks.isEmpty {
      let share = Self.rate((total - copied) / Double(max(1, audio.count)))
      audio = audio.mapValues { _ in share }
    }
  }

  /// Limits a rate to the range that encoders accept: 8 kb/s to 1 Tb/s.
  private static func rate(_ value: Double) -> Int64 { Int64(min(max(value, 8000), 1e12)) }

  /// Scales the rates by the result of a pass; returns `false` if nothing can be changed.
  ///
  /// Both parameters are bits per second of the whole file. If there is video, only its rates change.
  mutating func adapt(to wanted: Double, after made: Double) -> Bool {
    let hasVideo = !video.isEmpty
    let fixed = hasVideo ? copied + Double(audio.values.reduce(0, +)) : copied
    let factor = max(0.05, wanted - fixed) / max(1, made - fixed)
    func scaled(_ rate: Int64) -> Int64 { Self.rate(Double(rate) * min(max(factor, 0.1), 10)) }
    let before = self
    if hasVideo { video = video.mapValues(scaled) } else { audio = audio.mapValues(scaled) }
    return before.video != video || before.audio != audio
  }

  func applied(to settings: ResolvedSettings) -> ResolvedSettings {
    var settings = settings
    for index in settings.tracks.indices {
      let source = settings.tracks[index].source
      switch settings.tracks[index].action {
      case .convertVideo(var conversion):
        if let rate = video[source] {
          conversion.bitRate = rate
          conversion.quality = nil
          settings.tracks[index].action = .convertVideo(conversion)
        }
      case .convertAudio(var conversion):
        if let rate = audio[source] {
          conversion.bitRate = rate
          conversion.quality = nil
          settings.tracks[index].action = .convertAudio(conversion)
        }
      default: break
      }
    }
    return settings
  }
}
