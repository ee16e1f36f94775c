import Foundation
import Testing

/// A text that is stored beside the tests; RECORD_SNAPSHOTS=1 writes it again.
struct Snapshot {
  let path: String

  init(_ name: String) { path = "\(Respool.package)/Tests/CommandTests/Snapshots/\(name).txt" }

  static var isRecording: Bool {
    ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
  }

  func expect(_ text: String) throws {
    if Self.isRecording {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return
    }
    let expected = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == expected, "RECORD_SNAPSHOTS=1 writes it anew if this is meant")
  }
}
