import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia
import RespoolPresets

/// A run that writes the tracks of subtitles of one file.
struct SubtitleRun {
  /// The files that were written, and what they lack.
  struct Result {
    var files: [String] = []
    /// The ends of the names of the files, behind that of the film.
    var suffixes: [String] = []
    var losses: [String] = []
  }

  let file: String
  /// The output; with ``writesAll``, its extension is left out and the names of the tracks follow.
  let output: String
  /// `true` writes each track, `false` the first one that fits.
  let writesAll: Bool
  /// `nil`: the format of each track.
  let format: SubtitleFormat?
  let language: String?
  let replaces: Bool

  private let registry = PluginRegistry()

  init(
    file: String, output: String, writesAll: Bool, format: SubtitleFormat?, language: String?,
    replaces: Bool
  ) {
    (self.file, self.output, self.writesAll) = (file, output, writesAll)
    (self.format, self.language, self.replaces) = (format, language, replaces)
  }

  /// Path of the outputs without what differs between tracks.
  private var stem: String {
    let (name, _) = PathName.splitExtension(PathName.last(output))
    return PathName.join(PathName.folder(output), name)
  }

  /// Makes the files.
  ///
  /// `report` is called before the process ends because it took too much memory.
  func run(reporting report: @escaping @Sendable (MediaError) -> Void) throws(MediaError) -> Result
  {
    if !writesAll { try OutputFile(path: output, replaces: replaces).check(reading: [file]) }
    PendingFile.removeAbandoned(in: PathName.folder(output))
    CommandSandbox.keepPrivate([file])
    try CommandSandbox.enter(
      registry, reading: [file], writing: outputs, reporting: report)
    let asset = Asset(path: file, registry: registry)
    let media = try asset.mediaDescription()
    let found = media.tracks.indices.filter { index in
      media.tracks[index].kind == .subtitle && isWanted(media.tracks[index])
    }
    guard !found.isEmpty else {
      throw MediaError(
        .unsupported,
        language.map { "the file has no subtitles of the language \($0)" }
          ?? "the file has no subtitles", file: file)
    }
    var result = Result()
    var taken: Set<String> = []
    var reasons: [String] = []
    for index in found {
      let track = media.tracks[index]
      let own = SubtitleFormat(of: track)
      let hasImages = own == nil || own == .sup
      guard let format = format ?? own, !hasImages || format == own else {
        reasons.append(
          "\(TrackNumber(index: index)) has images of the codec \(track.codec), which "
            + (own == nil
              ? "have no file of their own" : "become only a file with the extension sup")
            + "; convert the film to mkv to keep them, or draw them into the frames with --burn")
        continue
      }
      let path = writesAll ? name(of: track, format, &taken) : output
      do throws(MediaError) {
        let losses = try export(asset, media, track, to: path, format)
        result.files.append(path)
        result.suffixes.append(String(path.dropFirst(stem.count + 1)))
        result.losses += losses.map { writesAll ? "\(PathName.last(path)): \($0)" : $0 }
      } catch {
        let isThere = error.detail == .fileAlreadyExists
        guard isThere && writesAll || error.code == .unsupported && !isThere else { throw error }
        let subject = isThere ? PathName.last(path) : "\(TrackNumber(index: index)):"
        reasons.append("\(subject) \(error.message)")
        continue
      }
      if !writesAll { break }
    }
    guard !result.files.isEmpty else {
      throw MediaError(.unsupported, reasons.joined(separator: "; "), file: file)
    }
    result.losses += writesAll ? reasons : []
    return result
  }

  private func isWanted(_ track: TrackDescription) -> Bool {
    guard let language else { return true }
    return track.language.map { LanguageCode.matches(LanguageCode.tag($0), range: language) }
      ?? false
  }

  /// Returns a path that no other track has: the stem, language, flags and extension.
  private func name(
    of track: TrackDescription, _ format: SubtitleFormat, _ taken: inout Set<String>
  ) -> String {
    var parts = [stem]
    if let tag = track.language.map(Self.shortTag), tag != "und", !tag.isEmpty,
      tag.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    {
      parts.append(tag)
    }
    if track.disposition.contains(.forced) { parts.append("forced") }
    if track.disposition.contains(.hearingImpaired) { parts.append("sdh") }
    if track.disposition.contains(.commentary) { parts.append("commentary") }
    let plain = parts.joined(separator: ".")
    var path = "\(plain).\(format.rawValue)"
    var number = 2
    while !taken.insert(path).inserted {
      path = "\(plain).\(number).\(format.rawValue)"
      number += 1
    }
    return path
  }

  /// Returns the tag of a language with the shortest code, as players expect it.
  private static func shortTag(_ language: String) -> String {
    let parts = language.split(separator: "-").map(String.init)
    guard let first = parts.first, let code = LanguageCode(first) else {
      return LanguageCode.tag(language)
    }
    return LanguageCode.tag(([code.twoLetters] + parts.dropFirst()).joined(separator: "-"))
  }

  private var outputs: OutputBroker.Outputs {
    guard writesAll else { return OutputBroker.Outputs(output, replacing: replaces) }
    let (prefix, folder) = (PathName.last(stem) + ".", PathName.folder(output))
    let folders = [folder, PendingFile(for: output).folder]
    return OutputBroker.Outputs(replacing: replaces) { path in
      PathName.folder(path) == folder && PathName.last(path).hasPrefix(prefix)
        && SubtitleFormat(output: path) != nil
    } in: {
      folders.contains($0)
    }
  }

  /// Writes a track, and returns what the file lacks.
  private func export(
    _ asset: Asset, _ media: MediaDescription, _ track: TrackDescription, to path: String,
    _ format: SubtitleFormat
  ) throws(MediaError) -> [String] {
    try OutputFile(path: path, replaces: replaces).check(reading: [file])
    var preset = Preset(name: "subtitles", container: format.container)
    preset.subtitleRules = [
      .init(try MediaCondition("id == \(track.id)", ofTrack: .subtitle))
    ]
    // The name of the file has the language and the flags; nothing else has a place.
    (preset.metadata, preset.chapters, preset.cover) = (.drop, .drop, .drop)
    let session = try ExportSession(asset: asset, preset: preset, registry: registry)
    let settings = try session.prepare()
    if let reason = settings.skipReason {
      let drops = settings.tracks.lazy.compactMap { own -> String? in
        guard media.tracks[own.source].id == track.id, case .drop(let reason) = own.action else {
          return nil
        }
        return reason
      }
      throw MediaError(.unsupported, drops.first ?? reason, file: file)
    }
    let pending = PendingFile(for: path)
    try StopSignal.watch {
      session.cancel()
    } discarding: {
      pending.discard()
    }
    let report = try pending.naming { () throws(MediaError) in
      try session.exportAndWait(to: pending.path)
    }
    try withExtendedLifetime(session) { () throws(MediaError) in
      try pending.complete(replacing: replaces)
    }
    // Other tracks have files of their own, and the name has the language and the flags.
    // Only text was read, so that the end of the film is unknown.
    let early = report.incomplete.map { ["the source ends early: \($0.reason)"] } ?? []
    return early + report.losses.filter { !$0.hasPrefix("lost: ") && !$0.contains(" is dropped: ") }
      + report.notes
  }
}
