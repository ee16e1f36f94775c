import RespoolHost
import RespoolMedia

/// Checks of the times of an encoder's packets, and of the description of its track.
struct PacketTimeChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): track") { () throws(Finding) in try track() }
    report.check("\(trial.codec): decode times") { () throws(Finding) in try decodeTimes() }
    report.check("\(trial.codec): presentation times") { () throws(Finding) in
      trial.isVideo ? try videoTimes() : try audioTimes()
    }
  }

  private func track() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    let (track, input) = (encoding.track, encoding.input.track)
    var problems: [String] = []
    if track.codec != input.codec {
      problems.append("the track's codec is \"\(track.codec)\"; \(input.codec) was expected")
    }
    if track.kind != input.kind { problems.append("the track's kind is not the input's") }
    if !track.timeBase.isPositive { problems.append("the time base is \(track.timeBase)") }
    if input.kind == .video, track.width != input.width || track.height != input.height {
      problems.append(
        "the track has \(track.width)x\(track.height) pixels; \(input.width)x\(input.height) were sent"
      )
    }
    if input.kind == .audio {
      if track.sampleRate != input.sampleRate {
        problems.append(
          "the track has a sample rate of \(track.sampleRate); \(input.sampleRate) was sent")
      }
      if track.channelLayout.channelCount != input.channelLayout.channelCount {
        problems.append("the track has \(track.channelLayout.channelCount.counting("channel"))")
      }
      if !trial.factory.description.flags.contains(.variableFrameSize), track.frameSize <= 0 {
        problems.append(
          "the encoder needs a fixed frame size, but the track states none (RSP_FACTORY_VARIABLE_FRAME_SIZE)"
        )
      }
    }
    guard problems.isEmpty else { throw Finding(problems.joined(separator: "; ")) }
    return "\(track.timeBase)"
  }

  private func decodeTimes() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    var last: Int64?
    for (index, packet) in encoding.packets.enumerated() {
      guard let dts = packet.dts, let pts = packet.pts else {
        throw Finding("packet \(index) has no dts or no pts")
      }
      if let last, dts <= last {
        throw Finding("dts does not rise: packet \(index) has \(dts) after \(last)")
      }
      if trial.isVideo, pts < dts {
        throw Finding("packet \(index) has dts \(dts), after its pts \(pts)")
      }
      last = dts
    }
    try encoding.packets.checkReordering(trial.isVideo ? encoding.track.reorderDepth : 0)
    return "rising"
  }

  private func videoTimes() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    let expected = encoding.times
    let base = encoding.track.timeBase
    let found = encoding.packets.filter { !$0.flags.contains(.discard) }.compactMap(\.pts).sorted()
    // Packets that are missing or too many are the subject of another check.
    let isRounded = base != encoding.input.track.timeBase
    let known = Set(expected + (isRounded ? expected.flatMap { [$0 - 1, $0 + 1] } : []))
    if let strange = found.first(where: { !known.contains($0) }), found.count <= expected.count {
      throw Finding(
        "a packet has the pts \(strange) in units of \(base) s; \(expected.prefix(3).map(String.init).joined(separator: ", ")) … "
          + "were sent")
    }
    for (index, packet) in encoding.packets.enumerated() where !packet.flags.contains(.discard) {
      guard packet.duration > 0 else {
        throw Finding("packet \(index) has the duration \(packet.duration); its frame had one")
      }
      guard let pts = packet.pts, let number = expected.firstIndex(of: pts),
        number + 1 < expected.count
      else { continue }
      let length = expected[number + 1] - pts
      if abs(packet.duration - length) > 1 {
        throw Finding(
          "packet \(index) has the duration \(packet.duration); its frame had \(length)")
      }
    }
    return "those of the frames"
  }

  private func audioTimes() throws(Finding) -> String {
    let encoding = try trial.encoding.get()
    try encoding.checkStart()
    try encoding.packets.checkTrims()
    for index in encoding.packets.indices.dropFirst() {
      let before = encoding.packets[index - 1]
      guard before.duration > 0, let pts = encoding.packets[index].pts, let previous = before.pts
      else { continue }
      if abs(pts - previous - before.duration) > 1 {
        throw Finding(
          "packet \(index) has the pts \(pts); the one before ends at \(previous + before.duration)"
        )
      }
    }
    return "without gaps"
  }
}
