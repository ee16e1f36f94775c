import CVerifier
import RespoolHost
import RespoolMedia

/// Checks of references and memory of an encoder.
struct EncoderLifetimeChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): packets stay unchanged") { () throws(Finding) in
      try trial.encoding.get().checkUnchanged()
      return "also after close"
    }
    report.check("\(trial.codec): references to frames") { () throws(Finding) in
      try references()
      return "all are released"
    }
    report.check("\(trial.codec): closed early") { () throws(Finding) in
      for count in [0, 1, 5] {
        let before = guard_live()
        var input = trial.input
        input.count = 20
        var run: EncoderRun? = try EncoderRun(trial.factory, input)
        for number in 0..<count { try run?.send(number) }
        PluginCall.run("close") { run = nil }
        let held = guard_live() - before
        guard held == 0 else { throw leak(held) }
      }
      return "after 0, 1 and 5 frames"
    }
    report.check("\(trial.codec): 200 opens") { () throws(Finding) in
      try references()
      return try MemoryGrowth.check { (isQuick) throws(Finding) in
        var input = trial.input
        input.count = isQuick ? 0 : 1
        if isQuick {
          var run: EncoderRun? = try EncoderRun(trial.factory, input)
          PluginCall.run("close") { run = nil }
          _ = run
        } else {
          _ = try Encoding(trial.factory, input)
        }
      }
    }
  }

  /// Throws if something refers to frames after the encoder and all of its packets are gone.
  private func references() throws(Finding) {
    let before = guard_live()
    _ = try trial.encode(trial.input).get()
    let held = guard_live() - before
    guard held == 0 else { throw leak(held) }
  }

  private func leak(_ planes: Int64) -> Finding {
    Finding(
      "references to \(planes.counting("plane")) of lent frames were not released when the encoder was closed"
    )
  }
}
