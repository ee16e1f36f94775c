import ArgumentParser
import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia

struct CollectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Puts the results of shares into the ledger.",
    discussion: """
      Reads the results of each process that has done a share with `respool work`, and puts them into \
      the ledger of the output folder, which `respool status` shows and a later batch knows. Names \
      the files that have failed and those that are missing. It can be run at any time, also while \
      machines work, and again.

      Example:
        respool collect films.respool

      Exit status: 0 all files of the plan are done, 1 some have failed or are missing, 2 wrong usage.
      """)

  @Argument(help: "A plan of `respool plan`.", completion: .file())
  var plan: String

  @Flag(help: "Print one JSON document on standard output.")
  var json = false

  func run() throws {
    var isComplete = false
    try CommandError.reporting { () throws(MediaError) in
      let collection = try Collection(ofPlan: plan)
      for problem in collection.problems { CommandError.note("warning: \(problem)") }
      if json { CommandOutput.show(document(collection)) } else { show(collection) }
      isComplete =
        collection.missingCount == 0 && collection.failures.isEmpty && collection.lost.isEmpty
        && collection.isStored
    }
    if !isComplete { throw ExitCode(1) }
  }

  private func show(_ collection: Collection) {
    for file in collection.failures { CommandError.note("failed: \(file.path): \(file.reason)") }
    for path in collection.missing { CommandError.note("missing: \(path)") }
    for path in collection.lost {
      CommandError.note("lost: \(path): its output was removed or changed since it was made")
    }
    let unnamed = collection.missingCount - collection.missing.count
    if unnamed > 0 { CommandError.note("missing: \(unnamed.counting("more file"))") }
    CommandOutput.show(
      "\(collection.converted) converted, \(collection.copied) copied, \(collection.skipped) skipped, "
        + "\(collection.failures.count) failed, \(collection.missingCount) missing"
        + (collection.lost.isEmpty ? "" : ", \(collection.lost.count) lost"))
    if !collection.isStored {
      CommandOutput.show(
        "these results are not in the ledger of the output folder, which cannot be written; collect again when it can be"
      )
    }
    if collection.incompleteCount > 0 || collection.lossyCount > 0 {
      CommandOutput.show(
        "\(collection.incompleteCount) from incomplete sources; \(collection.lossyCount) with losses; "
          + "respool status --losses names them, with the folder of the outputs")
    }
    if !collection.failures.isEmpty || !collection.lost.isEmpty {
      CommandOutput.show("files that have failed or were lost are tried again by a new plan")
    }
    guard collection.missingCount > 0 else { return }
    CommandOutput.show(
      collection.runningCount > 0
        ? "processes are working on the plan: \(collection.runningCount); respool status shows them"
        : "no process is known to work on the missing files; respool work does")
  }

  private func document(_ collection: Collection) -> JSON {
    .object([
      "converted": .integer(Int64(collection.converted)),
      "copied": .integer(Int64(collection.copied)),
      "skipped": .integer(Int64(collection.skipped)),
      "failed": .array(
        collection.failures.map {
          .object(["input": .string($0.path), "error": .string($0.reason)])
        }),
      "missingCount": .integer(Int64(collection.missingCount)),
      "missing": .strings(collection.missing), "lost": .strings(collection.lost),
      "incompleteSources": .integer(Int64(collection.incompleteCount)),
      "outputsWithLosses": .integer(Int64(collection.lossyCount)),
      "stored": .bool(collection.isStored),
    ])
  }
}
