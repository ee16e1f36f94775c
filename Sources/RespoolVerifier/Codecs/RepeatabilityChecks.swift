import RespoolHost
import RespoolMedia

/// Checks that an encoder's bytes depend only on its input and settings.
struct RepeatabilityChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): the same bytes twice") { () throws(Finding) in
      try trial.repeated.get()
      let encoding = try trial.encoding.get()
      let isEqual = VerifyingProcess.isEqualElsewhere(encoding, trial.factory)
      guard isEqual != false else {
        throw Finding(
          "the bytes differ between two processes with the same input: they depend on the order of a hash table, an address or the time"
        )
      }
      let equal = encoding.packets.count.counting("packet", "is", "are") + " equal"
      return isEqual == nil
        ? "\(equal); another process returned none in time"
        : "\(equal), also in another process"
    }
    report.check("\(trial.codec): 1 and 4 threads") { () throws(Finding) in
      try trial.repeated.get()
      var input = trial.input
      input.threads = 4
      let first = try trial.encoding.get()
      let second = try trial.encode(input).get()
      if trial.factory.description.flags.contains(.threadsChangeOutput) {
        throw .skipped("the plugin declares that the bytes may differ")
      }
      try first.compare(second, "1 and 4 threads, without RSP_FACTORY_THREADS_CHANGE_OUTPUT")
      return "\(first.packets.count.counting("packet", "is", "are")) equal"
    }
    report.check("\(trial.codec): two at once") { () throws(Finding) in try twoAtOnce() }
  }

  /// Feeds two encoders with different frames in turn, and compares their packets with those of each alone.
  private func twoAtOnce() throws(Finding) -> String {
    try trial.repeated.get()
    var inputs = [trial.input, trial.input]
    for index in inputs.indices {
      inputs[index].count = 16
      inputs[index].firstMoment = index * 9
    }
    var alone: [[UInt64]] = []
    for input in inputs { alone.append(try trial.encode(input).get().hashes) }
    var hashes: [[UInt64]] = [[], []]
    var runs: [EncoderRun] = []
    for index in inputs.indices {
      let run = try EncoderRun(trial.factory, inputs[index])
      run.onPacket = { hashes[index].append(Encoding.hash($0)) }
      runs.append(run)
    }
    for number in 0..<16 {
      for run in runs { try run.send(number) }
    }
    for run in runs { _ = try run.drain() }
    PluginCall.run("close") { runs = [] }
    guard hashes == alone else {
      throw Finding(
        "two encoders that are open at the same time return other packets than each one alone: they share state"
      )
    }
    return "each returned the same packets as alone"
  }
}

extension Encoding {
  /// Throws if another run has other bytes; `what` describes the two runs.
  func compare(_ other: Encoding, _ what: String) throws(Finding) {
    if hashes != other.hashes { throw Finding("the bytes differ between \(what)") }
    if track.extradata != other.track.extradata {
      throw Finding("the configuration record differs between \(what)")
    }
  }
}
