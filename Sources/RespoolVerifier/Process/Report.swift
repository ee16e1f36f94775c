import CVerifier
import RespoolHost
import RespoolMedia

/// Sender of each check's name before it runs, so that a crash has a name, and of its result afterwards.
///
/// After a crash or a hang, another process continues after the check that failed.
final class Report {
  /// Number of checks that earlier processes have run.
  private let first: Int
  private let settings: VerifyingSettings
  private var number = 0
  /// The first check during which the plugin wrote to standard output, and the text.
  private var output: (check: String, text: String)?

  init(_ settings: VerifyingSettings) {
    self.settings = settings
    first = (settings.failed.max() ?? -1) + 1
  }

  /// `true` if this process runs the next check.
  private func runs(_ name: String) -> Bool {
    (settings.only?.contains(number) ?? (number >= first)) && settings.isWanted(name)
  }

  func check(_ name: String, _ body: () throws(Finding) -> String) {
    defer { number += 1 }
    guard runs(name) else { return }
    send("begin", "\(number)", name)
    guard_limit(settings.timeLimit)
    do throws(Finding) {
      send("pass", name, try body())
    } catch {
      if error.isSkip {
        send("skip", name, error.words)
      } else {
        send("fail", name, error.words, error.cause)
      }
    }
    guard_limit(0)
    takeOutput(name)
  }

  /// Makes what the checks after this one need, unless that has ended an earlier process.
  ///
  /// Unlike a check, it also runs if an earlier process has run it.
  func prepare(_ name: String, _ body: () -> Void) {
    guard !runs(name) else {
      check(name) { () throws(Finding) in
        body()
        return "done"
      }
      return
    }
    if !settings.failed.contains(number) { body() }
    number += 1
  }

  /// Adds the check of standard output, which all checks before have observed, and ends the report.
  func complete() {
    check("standard output") { () throws(Finding) in
      if let output {
        throw Finding(
          "the plugin wrote to standard output, which belongs to the host, during the check "
            + "\(output.check): \"\(output.text)\"", cause: "standard output")
      }
      return "nothing was written"
    }
    send("done", "", "")
  }

  /// Reports that a sample file was used, or the reason why not.
  func sample(_ path: String, refusal: String?) { send("sample", path, refusal ?? "") }

  private func takeOutput(_ name: String) {
    var bytes = [CChar](repeating: 0, count: 60)
    let count = guard_output(&bytes, Int64(bytes.count))
    guard count > 0, output == nil else { return }
    let text = String(
      decoding: bytes.prefix(Int(min(count, 60))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    output = (name, text.printable())
  }

  private func send(_ fields: String...) {
    let clean = fields.map { $0.utf8.map { $0 == 9 || $0 == 10 ? 32 : $0 } }
    IsolatedProcess.send(Array(clean.joined(separator: [9])) + [10])
  }
}
