import Respool
import RespoolHost
import RespoolMedia

/// The row of a file on a page about an output folder.
struct PageRow {
  private let entry: LedgerEntry
  private let number: Int
  /// Absolute path of the output; `nil` if there is none.
  private let output: String?

  /// Makes the row of an entry in the ledger of an output folder.
  init(_ entry: LedgerEntry, number: Int, in folder: String) {
    (self.entry, self.number) = (entry, number)
    output = entry.output.map { PathName.absolute(PathName.join(folder, $0.name)) }
  }

  /// Returns the cells in the order of the page's columns.
  ///
  /// `address` returns the address of a file for the page's links.
  func json(_ details: FileDetails?, address: (String) -> String) -> JSON {
    let word =
      switch entry.result {
      case .converted: "converted"
      case .copied: "copied"
      case .skipped: "skipped"
      case .failed: "failed"
      }
    var cells: [JSON?] = [
      .integer(Int64(number)),
      .string(String(decoding: PathName.bytes(entry.source), as: UTF8.self)),
      .string(address(entry.source)), output.map { .string(address($0)) }, .string(word),
      .string(entry.reason ?? ""), .strings(entry.losses),
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
