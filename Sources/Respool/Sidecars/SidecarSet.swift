import RespoolMedia

/// The files of subtitles of an export: those that were read, and decisions about all of them.
struct SidecarSet {
  private(set) var sidecars: [Sidecar] = []
  private var failures: [ResolvedSettings.Decision] = []
  /// Number of tracks of the film, which come before those of the sidecars.
  private var first = 0

  /// The set of an export without files.
  init() {}

  /// Reads files.
  ///
  /// A file that cannot be read is left out, which is a decision with a loss. Throws `cancelled` only.
  init(_ files: [SubtitleFile], registry: PluginRegistry) throws(MediaError) {
    for names in Self.byName(files) {
      do throws(MediaError) {
        sidecars.append(try Sidecar(names.file, registry: registry))
      } catch {
        if error.code == .cancelled { throw error }
        var reason = error
        reason.file = nil
        failures.append(Self.failure(names, reason.description))
      }
    }
  }

  /// The set of an export that cannot have the files, for a reason.
  init(leavingOut files: [SubtitleFile], because reason: String) {
    failures = Self.byName(files).map { Self.failure($0, reason) }
  }

  /// Removes what is shown outside of a range, whose start becomes 0.
  mutating func cut(to timeRange: TimeRange) {
    for index in sidecars.indices { sidecars[index].cut(to: timeRange) }
  }

  /// Returns the media of the film with the tracks of the files.
  mutating func added(to media: MediaDescription) -> MediaDescription {
    var media = media
    first = media.tracks.count
    media.tracks += sidecars.map(\.track)
    return media
  }

  /// Returns the file whose subtitles are a track of the export's media; `nil` for a track of the film.
  func sidecar(ofTrack index: Int) -> Sidecar? {
    sidecars.indices.contains(index - first) ? sidecars[index - first] : nil
  }

  /// Decisions about the files, for the settings of the export.
  var decisions: [ResolvedSettings.Decision] {
    failures
      + sidecars.enumerated().map { index, sidecar in
        let number = TrackNumber(index: first + index)
        let name = PathName.last(sidecar.file.path)
        var decision = ResolvedSettings.Decision(
          setting: .init(.track(number), .named("file")), value: name,
          reason: "it has the name of the film" + (sidecar.note.map { "; \($0)" } ?? ""))
        decision.note =
          "\(name) counts as \(number) of the source" + (sidecar.note.map { "; \($0)" } ?? "")
        if var damage = sidecar.damage {
          damage.file = nil
          decision.loss = "\(name) is damaged, and the rest is added: \(damage.description)"
          decision.isWarning = true
        }
        return decision
      }
  }

  /// A file, and the file of images that belongs to it: subtitles of DVDs have an index (idx) and images (sub).
  private struct Names {
    let file: SubtitleFile
    var images: String?
  }

  /// Returns the files without those of images whose index is among them.
  private static func byName(_ files: [SubtitleFile]) -> [Names] {
    let images = files.filter { $0.isImagesOfDVD }
    let indexes = files.filter { $0.isIndexOfDVD }.map(\.stem)
    return files.compactMap { file in
      if file.isImagesOfDVD, indexes.contains(file.stem) { return nil }
      let other = file.isIndexOfDVD ? images.first { $0.stem == file.stem } : nil
      return Names(file: file, images: other.map { PathName.last($0.path) })
    }
  }

  private static func failure(_ names: Names, _ reason: String) -> ResolvedSettings.Decision {
    let name =
      PathName.last(names.file.path) + (names.images.map { " and \($0)" } ?? "")
    var decision = ResolvedSettings.Decision(
      setting: .init(.output, .named("file")), value: "without \(name)", reason: reason,
      isWarning: true)
    decision.loss = "\(name) \(names.images == nil ? "is" : "are") left out: \(reason)"
    return decision
  }
}
