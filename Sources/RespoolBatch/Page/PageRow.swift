import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// The row of a file on a page about an output folder.
struct PageRow {
  private let entry: LedgerEntry
  private let number: Int
  private let folder: String

  /// Makes the row of an entry in the ledger of an output folder.
  init(_ entry: LedgerEntry, number: Int, in folder: String) {
    (self.entry, self.number, self.folder) = (entry, number, folder)
  }

  /// A source or an output as it was when the output was made.
  struct File {
    /// Absolute path.
    let path: String
    let stamp: FileStamp

    /// Comparison of the file with what it was.
    enum State { case same, changed, gone }

    /// Compares the file with what it was.
    var state: State {
      var status = stat()
      guard PathName.withSystemPath(path, { stat($0, &status) }) == 0 else { return .gone }
      return stamp.matches(FileStamp(status)) ? .same : .changed
    }
  }

  /// Marks of a row, as bits that the script of the page knows.
  private struct Marks: OptionSet {
    let rawValue: Int64
    static let outputGone = Marks(rawValue: 4)
    static let outputChanged = Marks(rawValue: 8)
    static let sourceGone = Marks(rawValue: 16)
    static let sourceChanged = Marks(rawValue: 32)
    static let lossesUnknown = Marks(rawValue: 64)
  }

  /// Returns the source or the output of the entry; `nil` if it is not kept, or there is none.
  func file(_ side: LiveFolder.Side) -> File? {
    switch side {
    case .output:
      entry.output.map {
        File(path: PathName.absolute(PathName.join(folder, $0.name)), stamp: $0.stamp)
      }
    case .source: entry.originalPath.map { File(path: $0, stamp: entry.sourceStamp) }
    }
  }

  /// Returns the cells in the order of the page's columns.
  ///
  /// `preset` is the name of the preset, if it is known, and `id` stands for the row if it is sent again. `address` returns
  /// the address of a file that is there, for the page's links; `nil` for none.
  func json(
    _ details: FileDetails?, preset: String?, id: String? = nil,
    address: (LiveFolder.Side, File) -> String?
  ) -> JSON {
    let word =
      switch entry.result {
      case .converted: "converted"
      case .copied: "copied"
      case .skipped: "skipped"
      case .failed: "failed"
      }
    let states = (source: file(.source)?.state, output: file(.output)?.state)
    func link(_ side: LiveFolder.Side, _ state: File.State?) -> JSON? {
      guard let state, state != .gone else { return nil }
      return file(side).flatMap { address(side, $0) }.map { .string($0) }
    }
    let marks = marks(states.source, states.output)
    var cells: [JSON?] = [
      .integer(Int64(number)),
      .string(entry.source.withShownBytes), link(.source, states.source),
      link(.output, states.output), .string(word),
      .string(entry.reason ?? (entry.isIncomplete ? LedgerEntry.changedSource : "")),
      .strings(entry.losses),
      .array((details?.settings ?? []).map { .strings([$0.name, $0.value, $0.reason]) }),
      .integer(entry.sourceStamp.size), entry.output.map { .integer($0.stamp.size) },
      .number(entry.seconds), details?.duration.map { .number($0) },
      details?.before.map(Self.track), details?.after.map(Self.track),
      details?.hasPicture ?? false
        ? .array([details?.pictureBefore, details?.pictureAfter].map(Self.picture)) : nil,
      details.flatMap { $0.waveform.isEmpty ? nil : $0.waveform }.map { peaks in
        .array(peaks.map { .integer(Int64($0)) })
      },
      entry.output.map { .string($0.name.withShownBytes) },
      marks.isEmpty ? nil : .integer(marks.rawValue), preset.map { .string($0) }, replacement,
      id.map { .string($0) },
    ]
    while cells.last == .some(nil) { cells.removeLast() }
    return .array(cells.map { $0 ?? .number(.nan) })
  }

  /// Marks of the row, from the files as they are now.
  var currentMarks: Int64 { marks(file(.source)?.state, file(.output)?.state).rawValue }

  private func marks(_ source: File.State?, _ output: File.State?) -> Marks {
    var marks: Marks = []
    switch source {
    case .gone?: marks.insert(.sourceGone)
    case .changed?: marks.insert(.sourceChanged)
    case .same?, nil: break
    }
    switch output {
    case .gone?: marks.insert(.outputGone)
    case .changed?: marks.insert(.outputChanged)
    case .same?, nil: break
    }
    if entry.isFound, entry.output != nil { marks.insert(.lossesUnknown) }
    return marks
  }

  /// Words on a source that its output has replaced; `nil` if it was not replaced.
  private var replacement: JSON? {
    switch entry.replaced?.state {
    case nil, .restored?: nil
    case .replacing?, .replaced?, .restoring?, .superseded?:
      .string(
        entry.replaced?.kept.map {
          "Its output has replaced the source; the original is \($0.withShownBytes)"
        } ?? "Its output has replaced the source; no original is kept")
    }
  }

  private static func track(_ track: FileDetails.Track) -> JSON {
    .array([
      .integer(Int64(track.width)), .integer(Int64(track.height)), .string(track.codec),
    ])
  }

  /// Returns a JPEG file as an address (RFC 2397); null if there is none.
  private static func picture(_ bytes: [UInt8]?) -> JSON {
    bytes.map { .string("data:image/jpeg;base64," + Base64.text($0)) } ?? .number(.nan)
  }
}
