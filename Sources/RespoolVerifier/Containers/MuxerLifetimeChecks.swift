import CVerifier
import RespoolHost
import RespoolMedia

/// Checks that a muxer's file depends only on its packets, that it reports a full disk, and that it frees its memory.
struct MuxerLifetimeChecks {
  let factory: PluginFactory
  let media: [Encoding]

  func run(_ report: Report) {
    report.check("the same file twice") { () throws(Finding) in
      let first = try WrittenFile(factory, media).bytes
      guard_fill_heap(HeapPattern.second)
      defer { guard_fill_heap(HeapPattern.first) }
      let second = try WrittenFile(factory, media).bytes
      guard first == second else { throw difference(first, second) }
      return "\(first.count.counting("byte", "is", "are")) equal"
    }
    report.check("two at once") { () throws(Finding) in
      let alone = try WrittenFile(factory, media).bytes
      guard try WrittenFile(factory, media).bytes == alone else { throw difference(alone, []) }
      var runs = [try MuxerRun(factory, media), try MuxerRun(factory, media)]
      for place in runs[0].order {
        for run in runs { try run.write(place) }
      }
      for run in runs {
        try run.finish()
        guard try run.take() == alone else {
          throw Finding(
            "two muxers that are open at the same time write other files than one alone: they share state"
          )
        }
      }
      PluginCall.run("close") { runs = [] }
      return "each wrote the same file as alone"
    }
    report.check("failing output") { () throws(Finding) in try failingOutput() }
    report.check("references to packets") { () throws(Finding) in
      let before = guard_live()
      _ = try WrittenFile(factory, media)
      var run: MuxerRun? = try MuxerRun(factory, media)
      for place in (run?.order ?? []).prefix(7) { try run?.write(place) }
      PluginCall.run("close") { run = nil }
      let held = guard_live() - before
      guard held == 0 else {
        throw Finding(
          "references to \(held.counting("lent packet", "was", "were")) not released when the muxer was closed"
        )
      }
      return "all are released"
    }
    report.check("200 opens") { () throws(Finding) in
      var short = media
      for index in short.indices { short[index].packets = Array(short[index].packets.prefix(2)) }
      return try MemoryGrowth.check { (_) throws(Finding) in _ = try WrittenFile(factory, short) }
    }
  }

  private func difference(_ first: [UInt8], _ second: [UInt8]) -> Finding {
    let place = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }
    return Finding(
      "two files of the same packets differ from byte \(place?.offset ?? min(first.count, second.count)) on: "
        + "they depend on time, an address or memory that was not written to", cause: "files differ"
    )
  }

  /// Writes until the sink's buffer is full and its file cannot grow; `write` or `finish` must fail.
  private func failingOutput() throws(Finding) -> String {
    let run = try MuxerRun(factory, media)
    guard_limit_files(0)
    defer { guard_limit_files(-1) }
    do throws(MediaError) {
      var round: Int64 = 0
      // Until the buffer of the sink has been written once, and no longer than an hour.
      while run.sink.failure == nil, run.sink.size < 1 << 20, round < 3600 {
        for place in run.order where run.sink.failure == nil {
          try run.attempt(place, shift: round)
        }
        round += 1
      }
      try run.attemptFinish()
    } catch {
      _ = try message(of: error)
      return "reported"
    }
    guard run.sink.failure != nil else {
      throw .skipped("too few bytes were written for a failure")
    }
    throw Finding("the output failed, but write and finish returned RSP_OK")
  }
}
