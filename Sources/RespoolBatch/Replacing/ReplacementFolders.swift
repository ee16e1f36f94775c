import Glibc
import RespoolHost
import RespoolMedia

/// A check of the folders of a batch that replaces its sources.
struct ReplacementFolders {
  private let inputs: [String]
  private let output: String
  private let originals: String?

  init(_ inputs: [String], _ output: String, _ rules: Replacement) {
    (self.inputs, self.output, originals) = (inputs, output, rules.originals)
  }

  /// Throws `invalidArgument` if the input is not one folder, or the folder for originals would mix with it, or another
  /// ledger has files that were replaced.
  func check() throws(MediaError) {
    guard inputs.count == 1, let input = inputs.first, PathKey(input) == PathKey(output) else {
      throw MediaError(.invalidArgument, "--replace takes one input, a folder")
    }
    var status = stat()
    guard PathName.withSystemPath(input, { stat($0, &status) }) == 0 else {
      throw MediaError(.invalidArgument, systemMessage(errno), file: input)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaError(.invalidArgument, "--replace takes one input, a folder", file: input)
    }
    if fileExists(PathName.join(input, OriginalsFolder.markName)) {
      throw MediaError(
        .invalidArgument,
        "the folder has originals that a batch has replaced; --to converts them into another folder",
        file: input)
    }
    let above = Self.foldersAbove(input)
    if let originals, let identity = FileIdentity(originals),
      ([input] + above).contains(where: { FileIdentity($0) == identity })
    {
      throw MediaError(
        .invalidArgument, "the folder for the originals is the input or contains it",
        file: originals)
    }
    for folder in above where LedgerStatus.hasReplacements(folder) {
      throw MediaError(
        .invalidArgument,
        "the ledger of \(folder) has replaced files; name that folder, and select files with --include",
        file: input)
    }
  }

  /// Returns the folders that contain a folder, from the nearest to the root.
  private static func foldersAbove(_ path: String) -> [String] {
    guard let real = PathName.withSystemPath(path, { realpath($0, nil) }) else { return [] }
    defer { free(real) }
    var (folder, above) = (PathName.text(system: real), [String]())
    while folder != "/" {
      folder = PathName.folder(folder)
      above.append(folder)
    }
    return above
  }
}
