import Glibc
public import RespoolMedia

extension ExportSession {
  /// How far below its limit a file may end.
  private static let tolerance = 0.02
  /// Passes behind the first after which it is what it is.
  private static let mostPasses = 4

  /// About how many bytes the output will have; nil where that cannot be told.
  ///
  /// That is where the duration is not known. Tracks that are copied and those with a bit rate count with
  /// that: what comes out differs by a few percent, more where a codec may save bits, as Opus does in
  /// silence. Where the preset asks for a quality it is a guess from the bits that the source has, and half
  /// or twice as much may come out. What the container adds is not in it. With a `fileLengthLimit` it is no
  /// more than that. Blocks while the source is opened. Throws as `prepare` does.
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

  /// The same; the task waits, no thread of Swift's does.
  public var estimatedOutputFileLengthInBytes: Int64? {
    get async throws(MediaError) {
      try await PlainThread.result("length") { () throws(MediaError) in
        try self.estimatedOutputFileLength()
      }
    }
  }

  /// About how long the output can be: all that is exported, or as much as the `fileLengthLimit` has room
  /// for at the bit rates of the preset.
  ///
  /// What lasts longer is exported all the same, with lower bit rates. Indefinite where the duration is not
  /// known; as good a guess as `estimatedOutputFileLength`. Blocks while the source is opened. Throws as
  /// `prepare` does.
  public func estimateMaximumDuration() throws(MediaError) -> MediaTime {
    let settings = try prepare()
    guard let media, let nanoseconds = media.duration else { return .indefinite }
    let whole = MediaTime(value: nanoseconds, timescale: 1_000_000_000)
    guard fileLengthLimit > 0 else { return whole }
    guard let bits = Self.bitsPerSecond(settings, media) else { return .indefinite }
    let seconds = Double(fileLengthLimit) * 8 / Double(bits)
    return min(whole, MediaTime(seconds: seconds, preferredTimescale: 1000))
  }

  /// The same; the task waits, no thread of Swift's does.
  public var estimatedMaximumDuration: MediaTime {
    get async throws(MediaError) {
      try await PlainThread.result("duration") { () throws(MediaError) in
        try self.estimateMaximumDuration()
      }
    }
  }

  /// Exports as the preset says, and where that is too long with bit rates that make the file as long as it
  /// may be.
  ///
  /// The second pass is made with the rates that the limit leaves; more follow where that is off by more
  /// than 2 %. The longest that is within the limit is taken, else the shortest.
  func exportLimited(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    guard let media, let nanoseconds = media.duration, nanoseconds > 0 else {
      throw MediaError(
        .unsupported, "the file's length cannot be limited: how long it lasts is not known")
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
        "\(fileLengthLimit) bytes are too few: the shortest that could be made has \(Int64(best.size))"
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
  /// What is passed through.
  private var copied = 0.0

  /// Sound gets what the preset gives it, or a third where that is more; pictures share the rest.
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

  /// Within what an encoder may be asked for: 8 kb/s to 1 Tb/s.
  private static func rate(_ value: Double) -> Int64 { Int64(min(max(value, 8000), 1e12)) }

  /// Changes the rates by what a pass came to; false where nothing can be changed.
  ///
  /// Both in bits a second of the whole file. What is not pictures, where there are some, stays.
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
