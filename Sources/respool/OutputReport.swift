import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

/// The result of a command that makes one output: its exit status and, with `--json`, a document.
struct OutputReport: Sendable {
  var inputs: [String]
  var output: String
  /// `true` prints the document.
  var json: Bool
  /// `true` if the process makes one of many outputs of a folder; see ``FolderRun``.
  var isOneOfMany = false

  /// Facts about a success for the document.
  ///
  /// `nil` values are left out.
  typealias Facts = KeyValuePairs<String, JSON?>

  /// Runs `body` and reports its result.
  ///
  /// Ends the command with a status other than 0 if `body` throws.
  func reporting(_ body: () throws(MediaError) -> Facts) throws {
    let start = monotonicSeconds()
    do throws(MediaError) {
      let facts = try body()
      if json { CommandOutput.show(document(facts, monotonicSeconds() - start)) }
    } catch {
      showFailure(error, monotonicSeconds() - start)
      if isOneOfMany, Self.isNothingToDo(error) {
        CommandError.note(error.message)
        throw ExitCode(FolderRun.nothingToDo)
      }
      try CommandError.reporting { () throws(MediaError) in throw error }
    }
  }

  /// Returns a function that reports an error of the only input after which the process ends.
  func reportingFatal() -> @Sendable (MediaError) -> Void {
    let start = monotonicSeconds()
    return { error in
      let error = inputs.count == 1 ? error.inFile(inputs[0]) : error
      showFailure(error, monotonicSeconds() - start)
      CommandError.print(error)
    }
  }

  /// Prints the document of a failure if one is wanted.
  private func showFailure(_ error: MediaError, _ seconds: Double) {
    guard json else { return }
    CommandOutput.show(
      document(["status": .string("failed"), "error": .string(error.description)], seconds))
  }

  private func document(_ facts: Facts, _ seconds: Double) -> JSON {
    let head: KeyValuePairs<String, JSON?> = [
      "input": inputs.count == 1 ? .string(inputs[0]) : nil,
      "inputs": inputs.count == 1 ? nil : .strings(inputs), "output": .string(output),
    ]
    let tail: KeyValuePairs<String, JSON?> = [
      "seconds": .number((seconds * 1000).rounded() / 1000)
    ]
    let members = [head, facts, tail].flatMap { pairs in
      pairs.compactMap { name, value in value.map { JSON.Member(name: name, value: $0) } }
    }
    return .object(members)
  }

  /// Returns `true` if the file is not media, or has no track of the kind that the command shows.
  private static func isNothingToDo(_ error: MediaError) -> Bool {
    (error.code == .unsupported || error.code == .invalidArgument)
      && error.detail != .decoderNotFound && error.detail != .contentIsProtected
  }
}
