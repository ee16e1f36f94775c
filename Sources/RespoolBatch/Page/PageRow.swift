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
  /// `address` returns the address of a file for the page's links; `nil` for none.
  func json(_ details: FileDetails?, address: (LiveFolder.Side, File) -> String?) -> JSON {
    let word =
      switch entry.result {
      case .converted: "converted"
      case .copied: "copied"
      case .skipped: "skipped"
      case .failed: "failed"
      }
    func link(_ side: LiveFolder.Side) -> JSON? {
      file(side).flatMap { address(side, $0) }.map { .string($0) }
    }
    var cells: [JSON?] = [
      .integer(Int64(number)),
      .string(entry.source.withShownBytes), link(.source), link(.output), .string(word),
      .string(entry.reason ?? (entry.isIncomplete ? Self.changed : "")), .strings(entry.losses),
      .array((details?.settings ?? []).map { .strings([$0.name, $0.value, $0.reason]) }),
      .integer(entry.sourceStamp.size), entry.output.map { .integer($0.stamp.size) },
      .number(entry.seconds), details?.duration.map { .number($0) },
      details?.before.map(Self.track), details?.after.map(Self.track), nil, nil,
    ]
    if let details, details.pictureBefore != nil || details.pictureAfter != nil {
      cells[14] = .array([details.pictureBefore, details.pictureAfter].map(Self.picture))
    }
    if let details, !details.waveform.isEmpty {
      cells[15] = .array(details.waveform.map { .integer(Int64($0)) })
    }
    return .array(cells.map { $0 ?? .number(.nan) })
  }

  /// Reason why a source is incomplete if the ledger has none.
  private static let changed = "the source changed while it was converted"

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
