import Glibc
public import RespoolMedia

extension ExportSession {
  /// Fraction by which a file may be smaller than its limit before another pass.
  private static let tolerance = 0.02
  /// Maximum number of passes after the first.
  private static let mostPasses = 4

  /// Returns the estimated size of the output, in bytes.
  ///
  /// `nil` if it is unknown and there is no `fileLengthLimit`. The size is unknown if the duration is. Tracks
  /// that are copied and tracks with a bit rate are estimated from their bit rates. The actual size differs by a
  /// few percent, more if a codec saves bits, as Opus does in silence.
  ///
  /// If the preset sets a quality, the estimate is derived from the bit rate of the source. The actual size may
  /// be half or twice as much. Container overhead is not included. The estimate is never above `fileLengthLimit`.
  ///
  /// Blocks while the source is opened. Throws as `prepare` does.
  public func estimatedOutputFileLength() throws(MediaError) -> Int64? {
    let settings = try prepare()
    let limit = fileLengthLimit > 0 ? fileLengthLimit : nil
    guard let media, let duration = media.duration,
      let bits = Self.bitsPerSecond(settings, media)
    else { return limit }
    let length = Double(bits) / 8 * Double(duration) / 1e9
    let bytes = length < 9e18 ? Int64(length) : nil
    return [bytes, limit].compactMap { $0 }.min()
  }

  /// Asynchronous version of ``estimatedOutputFileLength()``; does not block a thread of the cooperative pool.
  public var estimatedOutputFileLengthInBytes: Int64? {
    get async throws(MediaError) {
      try await PlainThread.result("length") { () throws(MediaError) in
        try self.estimatedOutputFileLength()
      }
    }
  }

  /// Returns the maximum duration of the output: all that is exported, or as much as fits into `fileLengthLimit`
  /// at the bit rates of the preset.
  ///
  /// Longer media is exported nevertheless, with lower bit rates. Indefinite if the duration is unknown. It is as
  /// accurate as `estimatedOutputFileLength`. Blocks while the source is opened. Throws as `prepare` does.
  public func estimateMaximumDuration() throws(MediaError) -> MediaTime {
    let settings = try prepare()
    guard let media, let nanoseconds = media.duration else { return .indefinite }
    let whole = MediaTime(value: nanoseconds, timescale: 1_000_000_000)
    guard fileLengthLimit > 0 else { return whole }
    guard let bits = Self.bitsPerSecond(settings, media) else { return .indefinite }
    let seconds = Double(fileLengthLimit) * 8 / Double(bits)
    return min(whole, MediaTime(seconds: seconds, preferredTimescale: 1000))
  }

  /// Asynchronous version of ``estimateMaximumDuration()``; does not block a thread of the cooperative pool.
  public var estimatedMaximumDuration: MediaTime {
    get async throws(MediaError) {
      try await PlainThread.result("duration") { () throws(MediaError) in
        try self.estimateMaximumDuration()
      }
    }
  }

  /// Exports with the preset's settings, and again with lower bit rates if the file exceeds the limit.
  ///
  /// The second pass uses the bit rates that the limit allows. More passes follow while the result is more than 2
  /// % off. The largest file within the limit is kept, else the smallest.
  func exportLimited(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    guard let media, let nanoseconds = media.duration, nanoseconds > 0 else {
      throw MediaError(
        .unsupported, "the file size cannot be limited: the duration of the source is unknown")
    }
    guard !fileExists(path) else {
      throw .system("cannot be created", EEXIST, file: path)
    }
    let seconds = Double(nanoseconds) / 1e9
    let limit = Double(fileLengthLimit)
    let wanted = limit * (1 - Self.tolerance / 2)
    var rates = ExportRates(settings, media, bitsPerSecond: wanted * 8 / seconds)
    var best: (file: PendingFile, report: ExportReport, size: Double)?
    defer { best?.file.discard() }
    for pass in 0...Self.mostPasses {
      let file = PendingFile(for: path)
      let before = Double(pass) / 2
      let report = try exportOnce(
        to: file.path, pass == 0 ? settings : rates.applied(to: settings), pass: pass
      ) { done in
        progress(min(0.999, before + done / 2))
      }
      let size = Self.size(of: file.path)
      let isBetter =
        best.map { size <= limit ? $0.size > limit || $0.size < size : $0.size > size } ?? true
      if isBetter {
        best?.file.discard()
        best = (file, report, size)
      } else {
        file.discard()
      }
      if size <= limit, pass == 0 || size >= limit * (1 - Self.tolerance) { break }
      guard pass > 0 else { continue }
      guard rates.adapt(to: wanted * 8 / seconds, after: size * 8 / seconds) else { break }
    }
    guard let best else { throw MediaError(.internal, "no pass was made") }
    guard best.size <= limit * (1 + Self.tolerance) else {
      throw MediaError(
        .unsupported,
        "\(fileLengthLimit) bytes are too few: the smallest possible file has \(Int64(best.size))"
      )
    }
    try best.file.complete(replacing: false)
    return best.report
  }

  private static func size(of path: String) -> Double {
    var status = stat()
    return FileName.withSystemPath(path) { stat($0, &status) } == 0 ? Double(status.st_size) : 0
  }
}

/// The bit rates of an export whose length is limited.
struct ExportRates {
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
    var pictures: [Int] = []
    for track in settings.outputTracks {
      switch track.action {
      case .convertVideo: pictures.append(track.source)
      case .convertAudio(let conversion):
        let rate = Self.rate(min(Double(conversion.bitRate ?? 128_000), total / 3))
        audio[track.source] = rate
        left -= Double(rate)
      case .convertCaptions, .passThrough, .drop:
        copied += Double(media.tracks[track.source].bitRate)
      }
    }
    left -= copied
    for source in pictures { video[source] = Self.rate(left / Double(pictures.count)) }
    if pictures.isEmpty {
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
    let isPicture = !video.isEmpty
    let fixed = isPicture ? copied + Double(audio.values.reduce(0, +)) : copied
    let factor = max(0.05, wanted - fixed) / max(1, made - fixed)
    func scaled(_ rate: Int64) -> Int64 { Self.rate(Double(rate) * min(max(factor, 0.1), 10)) }
    let before = self
    if isPicture { video = video.mapValues(scaled) } else { audio = audio.mapValues(scaled) }
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
