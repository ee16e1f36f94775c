import Foundation
import Glibc

/// Prints one JSON object a line on standard output, for other programs.
public final class JSONReporter: BatchReporter {
  private let encoder = JSONEncoder()

  public init() { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }

  public func report(_ event: BatchEvent) {
    guard var line = try? encoder.encode(event) else { return }
    line.append(UInt8(ascii: "\n"))
    FileHandle.standardOutput.write(line)
  }

  public func tick(_ state: BatchProgress) {}
}
