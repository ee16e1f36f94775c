import Glibc
import Respool

/// The child process that checks one factory of a plugin.
public enum VerifyingProcess {
  /// The hidden first argument that starts `respool` in this mode.
  ///
  /// The plugin's path, the index of the factory and sample files follow.
  public static let argument = "__verify-plugin"

  /// Checks one factory, sends the results and ends the process.
  public static func run(_ path: String, factory index: Int, samples: [String]) -> Never {
    IsolatedProcess.prepare()
    let record = PluginRecord(describingFileAt: path)
    var report = Report()
    guard record.provided.indices.contains(index) else { _exit(2) }
    let factory = record.provided[index]
    switch factory.description.kind {
    case .demuxer: DemuxerChecks(factory: factory, samples: samples).run(&report)
    case .decoder: DecoderChecks(factory: factory, plugin: record).run(&report)
    case .encoder: EncoderChecks(factory: factory).run(&report)
    case .muxer: MuxerChecks(factory: factory).run(&report)
    }
    report.complete()
    _exit(0)
  }

  /// Returns the results that the child sent, the check that began last, and `true` if all checks ended.
  ///
  /// The name is empty if all checks ended.
  static func parse(_ bytes: [UInt8], subject: String) -> ([CheckResult], String, Bool) {
    var results: [CheckResult] = []
    var begun = "start"
    for line in bytes.split(separator: 10) {
      let fields = line.split(separator: 9, maxSplits: 2, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      switch fields[0] {
      case "begin" where fields.count > 1: begun = fields[1]
      case "pass" where fields.count > 2, "fail" where fields.count > 2:
        results.append(
          CheckResult(
            name: "\(subject): \(fields[1])", passed: fields[0] == "pass", detail: fields[2]))
      case "done": return (results, "", true)
      default: break
      }
    }
    return (results, begun, false)
  }
}

/// Sender of each check's name before it runs, so that a crash has a name, and of its result afterwards.
struct Report {
  mutating func check(_ name: String, _ body: () throws(Finding) -> String) {
    send("begin", name, "")
    do throws(Finding) {
      send("pass", name, try body())
    } catch {
      send("fail", name, error.words)
    }
  }

  func complete() { send("done", "", "") }

  private func send(_ fields: String...) {
    let clean = fields.map { $0.utf8.map { $0 == 9 || $0 == 10 ? 32 : $0 } }
    IsolatedProcess.send(Array(clean.joined(separator: [9])) + [10])
  }
}
