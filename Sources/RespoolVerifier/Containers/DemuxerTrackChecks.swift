import RespoolHost
import RespoolMedia

/// Checks that tracks and packets of an intact file have the form that the contract states for their codecs.
struct DemuxerTrackChecks {
  let trial: DemuxerTrial
  let finder: CodecFinder
  let name: String

  func run(_ report: Report) {
    report.check("\(name): framing") { () throws(Finding) in try framing() }
    report.check("\(name): sizes, rates and channels") { () throws(Finding) in try formats() }
    report.check("\(name): key flags") { () throws(Finding) in try keyFlags() }
    report.check("\(name): trims") { () throws(Finding) in try trims() }
  }

  /// Throws the first failure of the checks.
  func requireAll() throws(Finding) {
    _ = try framing()
    _ = try formats()
    _ = try keyFlags()
    _ = try trims()
  }

  private func framing() throws(Finding) -> String {
    try eachTrack { (track, packets) throws(Finding) in
      try PacketFraming(track: track, packets: packets).check()
    }
  }

  private func formats() throws(Finding) -> String {
    try eachTrack { (track, packets) throws(Finding) in
      try TrackFormatCheck(track: track, packets: packets, finder: finder).run()
    }
  }

  private func keyFlags() throws(Finding) -> String {
    try eachTrack { (track, packets) throws(Finding) in
      try KeyFlagCheck(track: track, packets: packets).run()
    }
  }

  private func trims() throws(Finding) -> String {
    try trial.compare()
    try trial.file.get().checkTrims()
    return "no longer than their packets"
  }

  /// Calls `body` with each track of video or audio and its packets.
  private func eachTrack(_ body: (TrackDescription, [Packet]) throws(Finding) -> Void)
    throws(Finding) -> String
  {
    try trial.compare()
    let file = try trial.file.get()
    var count = 0
    for (index, track) in file.media.tracks.enumerated()
    where track.kind == .video || track.kind == .audio {
      // Packets of additional sample descriptions have other records.
      let packets = file.packets(of: index).filter { $0.sampleDescriptionIndex == 0 }
      guard !packets.isEmpty else { continue }
      do throws(Finding) { try body(track, packets) } catch {
        throw Finding("\(TrackNumber(index: index)): \(error.words)", cause: error.cause)
      }
      count += 1
    }
    return count.counting("track")
  }
}
