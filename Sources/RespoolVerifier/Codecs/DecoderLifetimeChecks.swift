import CVerifier
import RespoolHost
import RespoolMedia

/// Checks of references and memory of a decoder.
struct DecoderLifetimeChecks {
  let trial: DecoderTrial

  func run(_ report: Report) {
    let name = trial.name
    report.check("\(name): frames stay unchanged") { () throws(Finding) in
      _ = try trial.unchanged()
      return "also after close"
    }
    report.check("\(name): references to packets") { () throws(Finding) in
      try references()
      return "all are released"
    }
    report.check("\(name): two at once") { () throws(Finding) in try twoAtOnce() }
    report.check("\(name): 200 opens") { () throws(Finding) in
      try references()
      let source = try trial.source.get()
      let packets = Array(source.packets.prefix(1))
      return try MemoryGrowth.check { (isQuick) throws(Finding) in
        _ = try Decoding(trial.factory, source.track, isQuick ? [] : packets)
      }
    }
  }

  /// Throws if something refers to packets after the decoder and all of its frames are gone.
  private func references() throws(Finding) {
    _ = try trial.source.get()
    let before = guard_live()
    _ = try trial.decode().get()
    let held = guard_live() - before
    guard held == 0 else {
      throw Finding(
        "references to \(held.counting("lent packet", "was", "were")) not released when the decoder was closed"
      )
    }
  }

  /// Feeds two decoders in turn, the second with the packets from the middle of the stream on if decoding can start there.
  private func twoAtOnce() throws(Finding) -> String {
    let source = try trial.source.get()
    let expected = try trial.unchanged().hashes
    let middle =
      source.packets.indices.dropFirst().last { source.packets[$0].flags.contains(.key) } ?? 0
    var runs = [
      try DecoderRun(trial.factory, source.track, limit: source.packets.count * 4 + 200),
      try DecoderRun(
        trial.factory, source.track, limit: source.packets.count * 4 + 200, allowsErrors: true),
    ]
    for number in source.packets.indices {
      try runs[0].send(source.packets[number], number)
      let other = middle + number % (source.packets.count - middle)
      try runs[1].send(source.packets[other], other)
    }
    for run in runs { try run.drain() }
    let hashes = runs[0].frames.map(\.contentHash)
    PluginCall.run("close") { runs = [] }
    guard hashes == expected else {
      throw Finding(
        "two decoders that are open at the same time return other frames than one alone: they share state"
      )
    }
    return "each returned the same frames as alone"
  }
}
