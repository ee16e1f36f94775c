import Glibc
public import RespoolMedia

extension ExportSession {
  /// How far below its limit a file may end.
  private static let tolerance = 0.02
  /// Passes after which it is what it is.
  private static let mostPasses = 4

  /// About how many bytes the output will have; nil where the preset asks for a quality, which tells
  /// nothing about the length, and where the duration is not known.
  ///
  /// Blocks while the source is opened. Throws as `prepare` does.
  public func estimatedOutputFileLength() throws(MediaError) -> Int64? {
    let settings = try prepare()
    guard let media, let duration = media.duration else { return nil }
    var bits: Int64 = 0
    for track in settings.outputTracks {
      let rate: Int64?
      switch track.action {
      case .convertVideo(let video): rate = video.bitRate
      case .convertAudio(let audio): rate = audio.bitRate
      case .passThrough, .drop: rate = media.tracks[track.source].bitRate
      }
      guard let rate, rate > 0 else { return nil }
      bits += rate
    }
    let length = Double(bits) / 8 * Double(duration) / 1e9
    return length < 9e18 ? Int64(length) : nil
  }

  /// Exports with bit rates that make the file as long as it may be.
  ///
  /// The first pass finds out what a rate comes to with these pictures, the second is made with what
  /// follows from it; one more follows where that is still off by more than 2 %.
  func exportLimited(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    guard let nanoseconds = media?.duration, nanoseconds > 0 else {
      throw MediaError(
        .unsupported, "the file's length cannot be limited: how long it lasts is not known")
    }
    let seconds = Double(nanoseconds) / 1e9
    let wanted = Double(fileLengthLimit) * (1 - Self.tolerance / 2)
    var rates = ExportRates(settings, bitsPerSecond: wanted * 8 / seconds)
    var best: (path: String, report: ExportReport, size: Double)?
    defer { if let best, best.path != path { unlink(best.path) } }
    for pass in 0..<Self.mostPasses {
      let attempt = path + ".pass\(pass)"
      let part = (Double(pass) / 2, 0.5)
      let report = try exportOnce(to: attempt, rates.applied(to: settings)) { done in
        progress(min(0.999, part.0 + done * part.1))
      }
      let size = Self.size(of: attempt)
      let isWithin = size <= Double(fileLengthLimit)
      if let before = best,
        !isWithin || before.size <= Double(fileLengthLimit) && before.size > size
      {
        unlink(attempt)
      } else {
        if let before = best { unlink(before.path) }
        best = (attempt, report, size)
      }
      if isWithin, size >= Double(fileLengthLimit) * (1 - Self.tolerance) { break }
      guard rates.scale(by: wanted / max(1, size)) else { break }
    }
    guard let best else { throw MediaError(.internal, "no pass was made") }
    guard best.size <= Double(fileLengthLimit) * (1 + Self.tolerance) else {
      throw MediaError(
        .unsupported,
        "\(fileLengthLimit) bytes are too few: at the lowest bit rates it has \(Int64(best.size))")
    }
    guard rename(best.path, path) == 0 else {
      throw MediaError(.io, "the output cannot get its name", cause: systemMessage(errno))
    }
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

  /// Sound gets what the preset gives it, or a third where that is more; pictures share the rest.
  init(_ settings: ResolvedSettings, bitsPerSecond total: Double) {
    var left = total
    var pictures: [Int] = []
    for track in settings.outputTracks {
      switch track.action {
      case .convertVideo: pictures.append(track.source)
      case .convertAudio(let conversion):
        let share = min(Double(conversion.bitRate ?? 128_000), total / 3)
        audio[track.source] = Int64(share)
        left -= share
      case .passThrough, .drop: break
      }
    }
    for source in pictures { video[source] = Int64(max(16_000, left / Double(pictures.count))) }
    if pictures.isEmpty {
      for (source, _) in audio {
        audio[source] = Int64(total / Double(max(1, audio.count)))
      }
    }
  }

  /// Whether there was anything to change.
  mutating func scale(by factor: Double) -> Bool {
    func scaled(_ rate: Int64) -> Int64 { Int64(max(8000, Double(rate) * factor)) }
    if video.isEmpty {
      audio = audio.mapValues(scaled)
      return !audio.isEmpty
    }
    let before = video
    video = video.mapValues(scaled)
    return video != before
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
