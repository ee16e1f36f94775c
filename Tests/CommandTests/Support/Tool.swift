import Foundation
import Testing

/// Other programs, with which tests make files and look at outputs.
enum Tool {
  /// Runs a program of `/usr/bin` to its end, which must be a success; returns its output.
  ///
  /// `folder` is its working directory.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], in folder: String? = nil) throws
    -> String
  {
    let result = try Running(
      ["/usr/bin/" + program] + arguments, environment: ["PATH=/usr/bin:/bin"], folder: folder
    ).wait()
    try #require(result.status == 0, "\(program): \(result.errors)")
    return result.output
  }
}
