import ArgumentParser
import RespoolBatch

/// Limits of the work on each file.
struct LimitArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fail a file that needs more memory, such as 4G (default: 80 % of the available memory).",
      valueName: "size"))
  var limitMemory: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Fail a file that needs more processor time, such as 90m, 12h or 2d.", valueName: "time"))
  var limitCpu: Age?

  @Option(
    help: ArgumentHelp("Fail a file whose output gets larger, such as 50G.", valueName: "size"))
  var limitOutput: ByteCount?

  /// The limits for a batch.
  var limits: WorkLimits {
    var limits = WorkLimits()
    limits.memory = limitMemory?.bytes
    limits.processorTime = limitCpu.map { Double($0.seconds) }
    limits.outputSize = limitOutput?.bytes
    return limits
  }
}
