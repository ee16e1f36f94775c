import Glibc
import Respool
import RespoolBatch
import RespoolVerifier

/// The program. What this same file does as a child of itself comes first, before anything is parsed.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == Worker.argument {
      exit(Worker.run(preset: arguments[2]))
    }
    if arguments.count == 3, arguments[1] == DescribingProcess.argument {
      DescribingProcess.run(arguments[2])
    }
    if arguments.count >= 4, arguments[1] == VerifyingProcess.argument,
      let factory = Int(arguments[3])
    {
      VerifyingProcess.run(arguments[2], factory: factory, samples: Array(arguments[4...]))
    }
    Command.main()
  }
}
