import CVerifier
import RespoolHost
import RespoolMedia

/// Checks of the packets of an intact file.
struct DemuxerPacketChecks {
  let trial: DemuxerTrial
  let name: String

  func run(_ report: Report) {
    report.check("\(name): read to the end") { () throws(Finding) in try readToEnd() }
    report.check("\(name): times") { () throws(Finding) in try times() }
    report.check("\(name): duration") { () throws(Finding) in
      let file = try trial.file.get()
      // The check of the content has named wrong packets.
      if trial.written != nil, (try? trial.compare()) == nil {
        throw .skipped("the packets are wrong, so their times are too")
      }
      // A fallback estimates durations of files that state none.
      let isEstimate =
        !file.media.declaresDuration && trial.factory.description.tier == .fallback
      return try DurationCheck(file: file, isEstimate: isEstimate).run()
    }
    report.check("\(name): selected tracks") { () throws(Finding) in try select() }
    report.check("\(name): the same packets twice") { () throws(Finding) in
      let first = try trial.file.get()
      guard_fill_heap(HeapPattern.second)
      defer { guard_fill_heap(HeapPattern.first) }
      guard try trial.read().get().hashes == first.hashes else {
        throw Finding(
          "the packets differ between two runs: they depend on memory that was not written to, "
            + "or on time"
        )
      }
      return "\(first.packets.count.counting("packet", "is", "are")) equal"
    }
    report.check("\(name): two at once") { () throws(Finding) in try twoAtOnce() }
    report.check("\(name): packets stay unchanged") { () throws(Finding) in try unchanged() }
    report.check("\(name): 200 opens") { () throws(Finding) in
      try MemoryGrowth.check { (_) throws(Finding) in
        let demuxer = try trial.opened()
        for _ in 0..<3 {
          _ = try? PluginCall.run("read") { () throws(MediaError) in try demuxer.read() }
        }
      }
    }
  }

  private func readToEnd() throws(Finding) -> String {
    let count = try trial.file.get().packets.count
    guard count > 0 else { throw Finding("the file has no packets") }
    let demuxer = try trial.opened()
    do throws(MediaError) {
      while try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() }) != nil {}
    } catch { throw Finding("reading the file again fails: \(error.message)") }
    for _ in 0..<3 {
      let more: Packet?
      do throws(MediaError) {
        more = try PluginCall.run("read") { () throws(MediaError) in try demuxer.read() }
      } catch {
        throw Finding("reading after the end fails: \(error.message)")
      }
      if more != nil { throw Finding("reading after the end returns a packet") }
    }
    return count.counting("packet")
  }

  private func times() throws(Finding) -> String {
    let file = try trial.file.get()
    for (index, track) in file.media.tracks.enumerated()
    where track.kind == .video || track.kind == .audio {
      var last: Int64?
      for (number, packet) in file.packets(of: index).enumerated() {
        guard let dts = packet.dts else { continue }
        if let last, dts < last {
          throw Finding(
            "dts of \(TrackNumber(index: index)) falls: packet \(number) has \(dts) after \(last)")
        }
        last = dts
      }
    }
    return "rising"
  }

  private func select() throws(Finding) -> String {
    let file = try trial.file.get()
    let count = file.media.tracks.count
    guard count > 1 else { throw .skipped("the file has one track") }
    for wanted in [0, count - 1] {
      let demuxer = try trial.opened()
      var found = 0
      do throws(MediaError) {
        try PluginCall.run("select") { () throws(MediaError) in
          try demuxer.select((0..<count).map { $0 == wanted })
        }
        while let packet = try PluginCall.run(
          "read", { () throws(MediaError) in try demuxer.read() })
        {
          guard packet.track == wanted else {
            throw MediaError(
              .cancelled,
              "a packet of \(TrackNumber(index: packet.track)) was read; only "
                + "\(TrackNumber(index: wanted)) is selected"
            )
          }
          found += 1
        }
      } catch { throw Finding(error.message) }
      let expected = file.packets(of: wanted).count
      guard found == expected else {
        throw Finding(
          "\(found.counting("packet")) of \(TrackNumber(index: wanted)) were read alone, and "
            + "\(expected) with the other tracks"
        )
      }
    }
    return "only their packets are read"
  }

  private func twoAtOnce() throws(Finding) -> String {
    let expected = try trial.file.get().packets.count
    let demuxers = [try trial.opened(), try trial.opened()]
    var counts = [0, 0]
    var isOver = [false, false]
    while isOver.contains(false) {
      for index in demuxers.indices where !isOver[index] {
        do throws(MediaError) {
          let demuxer = demuxers[index]
          let packet = try PluginCall.run("read") { () throws(MediaError) in try demuxer.read() }
          if packet == nil { isOver[index] = true } else { counts[index] += 1 }
        } catch {
          throw Finding(
            "two demuxers that are open at the same time disturb each other: \(error.message)")
        }
      }
      guard counts[0] <= expected else { break }
    }
    guard counts == [expected, expected] else {
      throw Finding(
        "two demuxers that are open at the same time return \(counts[0]) and "
          + "\(counts[1].counting("packet")); one alone returns \(expected)"
      )
    }
    return "each reads \(expected.counting("packet"))"
  }

  /// Compares the bytes of packets when they were returned with those after close.
  private func unchanged() throws(Finding) -> String {
    _ = try trial.file.get()
    var demuxer: DemuxerInstance? = try trial.opened()
    var packets: [Packet] = []
    var hashes: [UInt64] = []
    do throws(MediaError) {
      while packets.count < 500,
        let packet = try PluginCall.run("read", { () throws(MediaError) in try demuxer?.read() })
      {
        packets.append(packet)
        hashes.append(Encoding.hash(packet))
      }
    } catch { throw Finding(error.message) }
    PluginCall.run("close") { demuxer = nil }
    guard packets.map(Encoding.hash) == hashes else {
      throw Finding(
        "the bytes of packets changed after they were returned: they belong to the host until "
          + "it releases them, also after close"
      )
    }
    return "also after close"
  }
}
