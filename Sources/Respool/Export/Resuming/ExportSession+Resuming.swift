import Glibc
import RespoolMedia

extension ExportSession {
  /// Whether an export goes on where an earlier one was interrupted.
  public enum ResumptionState: Hashable, Sendable {
    /// It can be interrupted; whether it goes on from what an earlier one left.
    case resumable(isResumingFromPreviousState: Bool)
    /// It begins at the start and leaves nothing when it is interrupted.
    case notResumable(failureReason: ResumptionFailureReason)
  }

  /// Why an export cannot be resumed: its text is a sentence for people.
  public struct ResumptionFailureReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The session has begun, or its settings and its source do not go together.
    ///
    /// `export` tells what is wrong with them.
    public static let incompatibleSessionSettings = Self(
      "the session has begun already, or cannot export with its settings")
    /// What lies in the folder is of an export with other settings or of another source.
    public static let incompatibleTemporaryDirectoryContents = Self(
      "the folder for temporary files has the parts of another export; give each export one of its own"
    )
    /// No folder is set, or there is none of its name.
    public static let temporaryDirectoryDoesNotExist = Self(
      "there is no folder for temporary files; make one and set directoryForTemporaryFiles")
    /// The preset encodes no pictures; there is nothing that would be worth keeping.
    public static let unsupportedForPresetOnPlatform = Self(
      "the preset encodes no pictures here; what is copied is copied anew in no time")
    /// The folder cannot be written to, or another export uses it.
    public static let temporaryDirectoryIsUnusable = Self(
      "the folder for temporary files cannot be written to, or another export is using it")
  }

  /// Where a resumable export keeps its parts: a folder that exists, one for each export.
  ///
  /// Set before `configureForResumableExport`. Nothing else is written there; the export's files are
  /// removed when it has completed, and stay when it fails, is cancelled or is killed.
  public var directoryForTemporaryFiles: String? {
    get { wishes.temporaryFolder }
    set { wishes.temporaryFolder = newValue }
  }

  /// Makes the session one that can be interrupted and goes on where an earlier one stopped.
  ///
  /// Call it after everything else has been set, before `export`; nothing may be changed afterwards. A
  /// session that is to go on has to be configured as the one before was. Pictures are encoded in parts
  /// of half a minute and more, each by itself, which are kept in `directoryForTemporaryFiles` until the
  /// export completes; the file is the same, byte by byte, however often it was interrupted. It is not
  /// the file of an export that cannot be resumed: each part begins with a picture of its own, and a
  /// bit rate is met in each. Where the state is `notResumable`, `export` works as without it.
  ///
  /// Blocks while the source is opened and earlier parts are checked.
  public func configureForResumableExportAndWait() -> ResumptionState {
    guard let folder = directoryForTemporaryFiles, Self.isFolder(folder) else {
      return .notResumable(failureReason: .temporaryDirectoryDoesNotExist)
    }
    guard status == .unknown, resumption == nil, let settings = try? prepareEdited(),
      settings.skipReason == nil
    else { return .notResumable(failureReason: .incompatibleSessionSettings) }
    let encodesPictures = settings.outputTracks.contains {
      if case .convertVideo = $0.action { true } else { false }
    }
    guard encodesPictures, let identity = identity(settings) else {
      return .notResumable(failureReason: .unsupportedForPresetOnPlatform)
    }
    do throws(MediaError) {
      guard let found = try ResumableExport(folder: folder, identity: identity) else {
        return .notResumable(failureReason: .incompatibleTemporaryDirectoryContents)
      }
      resumption = found
      return .resumable(isResumingFromPreviousState: found.isResuming)
    } catch {
      return .notResumable(failureReason: .temporaryDirectoryIsUnusable)
    }
  }

  /// Asynchronous version of ``configureForResumableExportAndWait()``; does not block a thread of the cooperative pool.
  public func configureForResumableExport() async -> ResumptionState {
    let state = try? await PlainThread.result("resume") { () throws(MediaError) in
      self.configureForResumableExportAndWait()
    }
    return state ?? .notResumable(failureReason: .incompatibleSessionSettings)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return FileName.withSystemPath(path) { stat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Exports to a file beside `path` that gets its name at the end: a killed process leaves no half file
  /// that would be in the way of the next.
  func exportResumably(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    guard !fileExists(path) else { throw .system("cannot be created", EEXIST, file: path) }
    let file = PendingFile(for: path)
    let report = try exportOnce(to: file.path, settings, progress)
    try file.complete(replacing: false)
    return report
  }
}
