import RespoolHost
import RespoolMedia

/// Checks that a demuxer seeks to a place from which the wanted time can be decoded.
struct DemuxerSeekChecks {
  let trial: DemuxerTrial
  let name: String

  func run(_ report: Report) {
    report.check("\(name): seek") { () throws(Finding) in
      try trial.compare()
      let file = try trial.file.get()
      let tracks = file.media.tracks.indices.filter {
        file.media.tracks[$0].isMovingPicture || file.media.tracks[$0].kind == .audio
      }
      guard
        let track = tracks.first(where: { file.media.tracks[$0].kind == .video }) ?? tracks.first
      else { throw .skipped("the file has no video and no audio") }
      return try check(track, file)
    }
  }

  private func check(_ track: Int, _ file: ReadFile) throws(Finding) -> String {
    let packets = file.packets(of: track)
    let keys = packets.filter { $0.flags.contains(.key) }.compactMap(\.pts)
    guard let first = packets.first, let firstTime = first.pts,
      let last = packets.compactMap(\.pts).max(),
      keys.count > 1
    else { throw .skipped("the file has fewer than two key frames with times") }
    let demuxer = try trial.opened()
    let isVideo = file.media.tracks[track].kind == .video
    let span = last - firstTime
    for part in [Int64(90), 35, 60, 10, 100] {
      let target = firstTime + span * part / 100
      guard let landing = try landing(demuxer, track, target) else {
        throw .skipped("the demuxer cannot seek")
      }
      guard let packet = landing.packet, let time = packet.pts else {
        throw Finding("after a seek to \(target) no packet follows; the file ends at \(last)")
      }
      guard time <= max(target, keys[0]) else {
        throw Finding(
          "a seek to \(target) continues at \(time): packets that are needed to show the time are skipped"
        )
      }
      let before = keys.filter { $0 <= target }
      guard isVideo, !before.isEmpty else { continue }
      guard packet.flags.contains(.key) else {
        throw Finding("a seek to \(target) continues at \(time), where decoding cannot start")
      }
      guard before.count > 2 else { continue }
      // A key frame may be left out for audio that starts earlier, but not all of them.
      guard time >= before[before.count - 2] || time > firstTime else {
        throw Finding(
          "a seek to \(target) continues at the start of the file, although a key frame is at \(before[before.count - 1])"
        )
      }
    }
    try checkReturn(demuxer, track, firstTime)
    return "to 5 places and back"
  }

  /// Seeks to the start after the end was reached.
  private func checkReturn(_ demuxer: DemuxerInstance, _ track: Int, _ firstTime: Int64)
    throws(Finding)
  {
    do throws(MediaError) {
      while try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() }) != nil {}
    } catch { throw Finding("reading after a seek fails: \(error.message)") }
    let landing = try landing(demuxer, track, firstTime)
    guard let time = landing?.packet?.pts else {
      throw Finding(
        "after the end was reached, a seek to the start has no effect: no packet follows")
    }
    guard time == firstTime else {
      throw Finding("a seek to the start, \(firstTime), continues at \(time)")
    }
  }

  /// Seeks, and returns the next packet of the track; `nil` if the demuxer cannot seek.
  private func landing(_ demuxer: DemuxerInstance, _ track: Int, _ time: Int64) throws(Finding)
    -> (packet: Packet?, Void)?
  {
    do throws(MediaError) {
      try PluginCall.run("seek") { () throws(MediaError) in
        try demuxer.seek(track: track, to: time)
      }
    } catch {
      guard error.code == .unsupported else { throw Finding("seek fails: \(error.message)") }
      return nil
    }
    do throws(MediaError) {
      while let packet = try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() })
      {
        if packet.track == track { return (packet, ()) }
      }
    } catch { throw Finding("reading after a seek fails: \(error.message)") }
    return (nil, ())
  }
}
