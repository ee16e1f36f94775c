import CLinux
import Glibc
import Respool
public import RespoolMedia

/// A run that makes an output of every file below folders, such as a waveform, each in a process of its
/// own.
///
/// A file that crashes a codec loses only its own output. The outputs have the folder tree of the inputs,
/// as in a batch.
public final class FolderRun {
  /// Exit status of a child whose file has no content for the command; such a file is skipped.
  public static let nothingToDo: Int32 = 3

  private let inputs: [String]
  private let output: String
  private let fileExtension: String
  private let replaces: Bool
  private let pool: ProcessPool
  private let executable: String
  private let reporter: any BatchReporter
  private let arguments: (_ input: String, _ output: String) -> [String]

  private var tally: [BatchEvent.Status: Int] = [:]
  private var total = 0
  private let start = monotonicSeconds()

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - inputs: files and folders.
  ///   - output: folder for the outputs.
  ///   - fileExtension: extension of the outputs.
  ///   - replaces: `true` replaces existing outputs; otherwise their files are skipped.
  ///   - jobs: number of processes at a time, 1 or more.
  ///   - executable: program to run.
  ///   - reporter: receives an event for each file, and a summary.
  ///   - patience: seconds after which a process that does nothing is killed.
  ///   - arguments: makes the program's arguments for a file.
  public init(
    inputs: [String], output: String, fileExtension: String, replaces: Bool, jobs: Int,
    executable: String, reporter: any BatchReporter,
    patience: Double = 120, arguments: @escaping (_ input: String, _ output: String) -> [String]
  ) {
    self.inputs = inputs
    self.output = output
    self.fileExtension = fileExtension
    self.replaces = replaces
    pool = ProcessPool(jobs: jobs, patience: patience)
    self.executable = executable
    self.reporter = reporter
    self.arguments = arguments
  }

  /// Runs until all files are finished or the user interrupts.
  ///
  /// - Returns: the exit status: 0 if all files succeeded, 1 if some failed, 130 if interrupted.
  public func run() throws(MediaError) -> Int32 {
    let interruption = try Interruption()
    var walker = Walker(inputs, excluding: output, followsLinks: nil)
    let (found, problems) = walker.takeAll()
    total = found.count + problems.count
    for problem in problems {
      finish(problem.path, problem.isHarmless ? .skipped : .failed, reason: problem.reason)
    }
    for file in found {
      if let reason = file.skipReason { finish(file.path, .skipped, reason: reason) }
    }
    let files = found.filter { $0.skipReason == nil }
    let names = OutputNames.assign(
      files.map {
        .init(path: $0.path, relative: $0.relative, outputExtension: fileExtension)
      },
      onCollision: .rename)
    for (file, name) in zip(files, names) {
      while !pool.hasRoom, !interruption.isRequested { wait(interruption) }
      if interruption.isRequested { break }
      switch name {
      case .failure(let error): finish(file.path, .failed, reason: error.message)
      case .success(let name): begin(file.path, PathName.join(output, name))
      }
    }
    while !pool.running.isEmpty, !interruption.isRequested { wait(interruption) }
    if interruption.isRequested { pool.stop() }
    var summary = BatchEvent(event: .summary)
    summary.converted = tally[.converted, default: 0]
    summary.copied = 0
    summary.skipped = tally[.skipped, default: 0]
    summary.failed = tally[.failed, default: 0]
    summary.seconds = monotonicSeconds() - start
    reporter.report(summary)
    return interruption.isRequested ? 130 : tally[.failed, default: 0] > 0 ? 1 : 0
  }

  private func begin(_ input: String, _ output: String) {
    if !replaces, let reason = Self.reason(toKeep: output, of: input) {
      finish(input, .skipped, reason: reason)
      return
    }
    guard makeFolder(PathName.folder(output)) else {
      finish(input, .failed, reason: "the output folder cannot be created: \(errorText(errno))")
      return
    }
    do throws(MediaError) {
      pool.add(try FileProcess(executable, arguments(input, output), input: input, output: output))
    } catch {
      finish(input, .failed, reason: error.description)
    }
  }

  /// Returns the reason to keep an existing output; `nil` if there is no such output.
  ///
  /// No record states which program and settings made an output, so none is replaced unless the user
  /// requests it.
  private static func reason(toKeep output: String, of input: String) -> String? {
    guard fileExists(output) else { return nil }
    var (source, made) = (stat(), stat())
    let advice = "--replace makes it again"
    guard PathName.withSystemPath(output, { stat($0, &made) }) == 0 else {
      return "the output is a broken link; \(advice)"
    }
    if made.st_size == 0 { return "the output already exists and is empty; \(advice)" }
    guard PathName.withSystemPath(input, { stat($0, &source) }) == 0,
      made.modified < source.modified
    else { return "the output already exists" }
    return "the output already exists and is older than the file; \(advice)"
  }

  /// Waits for at most a tenth of a second, and takes the results of the processes that have ended.
  private func wait(_ interruption: Interruption) {
    for process in pool.wait(interruption) { settle(process) }
    var progress = BatchProgress()
    progress.filesTotal = total
    progress.filesDone = tally.values.reduce(0, +)
    progress.failed = tally[.failed, default: 0]
    progress.fraction = Double(progress.filesDone) / Double(max(1, total))
    progress.elapsed = monotonicSeconds() - start
    reporter.tick(progress)
  }

  private func settle(_ process: FileProcess) {
    if let reason = process.killReason {
      finish(process.input, .failed, reason: "the process that read the file \(reason)")
      return
    }
    switch process.ending {
    case .exited(0): finishMade(process)
    case .exited(Self.nothingToDo): finish(process.input, .skipped, reason: process.lastLine)
    case .exited(let code):
      let words = process.lastLine
      finish(
        process.input, .failed,
        reason: words.isEmpty ? "the process ended with status \(code)" : words)
    case .signal(let number):
      let name = strsignal(number).map { String(cString: $0) } ?? ""
      finish(
        process.input, .failed,
        reason: "the process that read the file was killed by signal \(number) (\(name))")
    case nil: break
    }
  }

  /// Beginning of a line with which a process names an output by what it has instead of the extension.
  public static let outputMark = "  wrote: "
  /// Beginning of a line with which a process names what an output lacks.
  public static let noteMark = "  note: "

  /// Reports a file whose process has succeeded, with the outputs and the losses that it has named.
  private func finishMade(_ process: FileProcess) {
    func marked(_ mark: String) -> [String] {
      process.words.split(separator: "\n").filter { $0.hasPrefix(mark) }.map {
        String($0.dropFirst(mark.count))
      }
    }
    let output = process.output ?? ""
    let stem = PathName.splitExtension(PathName.last(output)).stem
    let made = marked(Self.outputMark).map {
      PathName.join(PathName.folder(output), "\(stem).\($0)")
    }
    let losses = marked(Self.noteMark)
    finish(
      process.input, .converted, output: made.first ?? process.output,
      outputs: made.count > 1 ? made : nil, losses: losses.isEmpty ? nil : losses)
  }

  private func finish(
    _ input: String, _ status: BatchEvent.Status, output: String? = nil,
    outputs: [String]? = nil, losses: [String]? = nil, reason: String? = nil
  ) {
    tally[status, default: 0] += 1
    var event = BatchEvent(event: .finished, input: input)
    event.status = status
    (event.output, event.outputs, event.losses) = (output, outputs, losses)
    event.error = reason
    reporter.report(event)
  }
}
