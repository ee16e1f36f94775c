import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// The files of subtitles beside the films of a batch.
///
/// It keeps the names of one folder, because the files of a folder follow each other.
final class FilmSubtitles {
  /// `false` if the preset adds no files of subtitles.
  let isWanted: Bool
  private var folder: (path: String, names: [String], modified: Int64)?

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Returns the names in the folder of a film; none if no files of subtitles are wanted or there.
  private func neighbors(of path: String) -> [String] { isWanted ? allNeighbors(of: path) : [] }

  /// Returns the names in the folder of a file; none if no files of subtitles are there.
  private func allNeighbors(of path: String) -> [String] {
    let parent = PathName.folder(path)
    if let folder, folder.path == parent { return folder.names }
    let modified = Self.modification(of: parent)
    let all = names(inFolder: parent)
    let names = all.contains(where: SubtitleFile.isOne) ? all : []
    folder = (parent, names, modified)
    return names
  }

  /// Returns the name of the film that a file of subtitles belongs to; `nil` if it is no such file.
  private func film(of path: String) -> String? {
    let name = PathName.last(path)
    guard SubtitleFile.isOne(name) else { return nil }
    return neighbors(of: path).first { film in
      !SubtitleFile.isOne(film)
        && name.utf8.starts(with: (PathName.splitExtension(film).stem + ".").utf8)
        && files(of: PathName.join(PathName.folder(path), film)).contains {
          PathName.last($0) == name
        }
    }
  }

  /// Gives the reason for a file of subtitles that is skipped, and skips subtitles of DVDs that cannot be read.
  func leaveOut(_ file: inout BatchFile) {
    guard file.plan.action == .skip || file.plan.action == .fail else { return }
    let reason = reasonToSkip(file.path)
    guard file.plan.action == .skip || reason != nil else { return }
    let film = film(of: file.path).map(Self.reason)
    guard let reason = film ?? reason else { return }
    if file.plan.action == .fail { file.plan = FilePlan(action: .skip, reason: reason) }
    file.plan.reason = reason
  }

  /// Returns `true` if a recorded reason to leave out a file of subtitles still holds: its film, or the other file of DVD
  /// subtitles, is beside it.
  func holds(_ reason: String?, of path: String) -> Bool {
    guard SubtitleFile.isOne(PathName.last(path)) else { return true }
    let current = film(of: path).map(Self.reason) ?? reasonToSkip(path)
    return current == reason || current == nil && reason?.hasPrefix(Self.reasonStart) != true
  }

  /// Returns the reason to leave out a file that has no film: it is an index or the images of DVD subtitles, and the other
  /// file is beside it.
  ///
  /// `nil` if it is no such file.
  private func reasonToSkip(_ path: String) -> String? {
    let name = PathName.last(path)
    guard SubtitleFile.isOne(name),
      let other = SubtitleFile.otherPart(of: name, among: allNeighbors(of: path))
    else { return nil }
    let both = [name, other].sorted().joined(separator: " and ")
    return Self.reason("a DVD (\(both)), which are not read")
  }

  private static let reasonStart = "subtitles of "
  private static func reason(_ owner: String) -> String { reasonStart + owner }

  /// Returns the paths of the files of a film, those that can be opened first.
  func files(of path: String) -> [String] {
    let names = neighbors(of: path)
    guard !names.isEmpty else { return [] }
    let files = SubtitleFile.files(of: PathName.last(path), in: PathName.folder(path), among: names)
      .map(\.path)
    return files.filter(Self.canBeOpened) + files.filter { !Self.canBeOpened($0) }
  }

  private static func canBeOpened(_ path: String) -> Bool {
    PathName.withSystemPath(path) { access($0, R_OK) } == 0
  }

  /// Returns the name of a file of a film that has changed after a time, in nanoseconds since 1970; `nil` if none has.
  func changed(of path: String, after time: Int64) -> String? {
    files(of: path).first { Self.change(of: $0) > time }.map { PathName.last($0) }
  }

  /// Returns what a film's files are now.
  func mark(of path: String) -> SubtitleMark {
    // Files may have come or gone while others were converted.
    if let known = folder, Self.modification(of: known.path) != known.modified { folder = nil }
    return SubtitleMark(
      of: files(of: path), stem: PathName.splitExtension(PathName.last(path)).stem)
  }

  /// Returns `true` if a film has the files of which its output was made at a time, in nanoseconds since 1970; reads nothing.
  ///
  /// `false` does not mean that they are others.
  func isUnchanged(of path: String, _ made: SubtitleMark?, at time: Int64) -> Bool {
    guard isWanted else { return true }
    let files = files(of: path)
    return made.map { $0.count == files.count } ?? true
      && files.allSatisfy { Self.change(of: $0) <= time }
  }

  private static func modification(of path: String) -> Int64 {
    var status = stat()
    return PathName.withSystemPath(path, { stat($0, &status) }) == 0 ? status.modified : 0
  }

  /// Returns the time of the last change of a file; 0 if it is gone.
  static func change(of path: String) -> Int64 {
    var status = stat()
    return PathName.withSystemPath(path, { stat($0, &status) }) == 0 ? status.changed : 0
  }
}
