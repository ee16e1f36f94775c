import Glibc
import RespoolMedia

extension ExportSession {
  /// Ability of an export to continue an earlier, interrupted one.
  public enum ResumptionState: Hashable, Sendable {
    /// The export can be interrupted. The value is `true` if it continues an earlier export.
    case resumable(isResumingFromPreviousState: Bool)
    /// The export begins at the start and leaves nothing if it is interrupted.
    case notResumable(failureReason: ResumptionFailureReason)
  }

  /// Reason why an export cannot be resumed; the raw value is a sentence for users.
  public struct ResumptionFailureReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The session has begun, or it cannot export with its settings and source.
    ///
    /// `export` reports what is wrong with them.
    public static let incompatibleSessionSettings = Self(
      "the session has already begun, or cannot export with its settings")
    /// The folder contains parts of an export with other settings or of another source.
    public static let incompatibleTemporaryDirectoryContents = Self(
      "the folder for temporary files has parts of another export; use a separate folder "
        + "for each export"
    )
    /// No folder is set, or it does not exist.
    public static let temporaryDirectoryDoesNotExist = Self(
      "there is no folder for temporary files; create one and set directoryForTemporaryFiles")
    /// The preset encodes no video; there is nothing worth storing.
    public static let unsupportedForPresetOnPlatform = Self(
      "the export encodes no video, so it cannot be resumed")
    /// The folder cannot be written to, or another export uses it.
    public static let temporaryDirectoryIsUnusable = Self(
      "the folder for temporary files cannot be written to, or another export is using it")
  }

  /// Folder in which a resumable export stores its parts.
  ///
  /// It must exist, and each export needs its own. Set it before `configureForResumableExport`. No other files
  /// are written there. The export's files are removed when it completes. They stay if it fails, is cancelled or
  /// is killed.
  public var directoryForTemporaryFiles: String? {
    get { configuration.directoryForTemporaryFiles }
    set { configure { $0.directoryForTemporaryFiles = newValue } }
  }

  /// Makes the session resumable: it can be interrupted and can continue an earlier, interrupted session.
  ///
  /// Call it after everything else has been set and before `export`; change nothing afterwards. A session that
  /// continues an earlier one needs the same configuration. Video is encoded in independent parts of half a
  /// minute or more. They are stored in `directoryForTemporaryFiles` until the export completes.
  ///
  /// The output is identical, byte by byte, however often the export was interrupted. It differs from the output
  /// of an export that is not resumable: each part begins with a sync sample, and each part meets the bit rate by
  /// itself. If the state is `notResumable`, `export` works as without this call.
  ///
  /// Blocks while the source is opened and earlier parts are checked.
  public func configureForResumableExportAndWait() -> ResumptionState {
    guard let folder = directoryForTemporaryFiles, Self.isFolder(folder) else {
      return .notResumable(failureReason: .temporaryDirectoryDoesNotExist)
    }
    guard status == .unknown, !isResumable,
      let prepared = try? prepareExport(readingTracksSeparately: true)
    else { return .notResumable(failureReason: .incompatibleSessionSettings) }
    let configuration = configuration
    let settings = prepared.settings(filteredBy: configuration.metadataItemFilter)
    guard settings.skipReason == nil
    else { return .notResumable(failureReason: .incompatibleSessionSettings) }
    let encodesVideo = settings.outputTracks.contains {
      if case .convertVideo = $0.action { true } else { false }
    }
    guard encodesVideo, let identity = try? configuration.identity(of: asset, settings) else {
      return .notResumable(failureReason: .unsupportedForPresetOnPlatform)
    }
    do throws(MediaError) {
      guard
        let found = try ResumableExport(
          folder: folder, identity: identity, parts: configuration.parts)
      else { return .notResumable(failureReason: .incompatibleTemporaryDirectoryContents) }
      resume(from: found)
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
    return PathName.withSystemPath(path) { stat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }
}
