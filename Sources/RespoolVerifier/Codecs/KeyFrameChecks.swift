import RespoolHost
import RespoolMedia

/// Checks that decoding can start at packets with the key flag, and that requested key frames are made.
struct KeyFrameChecks {
  let trial: EncoderTrial

  /// Numbers of the frames that must be key frames.
  private static let forced: Set<Int> = [17, 45]

  func run(_ report: Report) {
    report.check("\(trial.codec): key frames") { () throws(Finding) in
      try trial.requireContent()
      let encoding = try trial.encoding.get()
      guard let first = encoding.packets.first else { throw Finding("no packets were returned") }
      guard first.flags.contains(.key) else {
        throw Finding("the first packet is not marked as a key frame")
      }
      return try checkKeys(encoding)
    }
    report.check("\(trial.codec): forced key frames") { () throws(Finding) in
      "\(Self.forced.count) frames; \(try checkKeys(try forced()))"
    }
    // Before 1.5 there was no such setting.
    guard trial.factory.plugin.abi.map({ $0.minor >= 5 }) ?? true else { return }
    report.check("\(trial.codec): key frame interval") { () throws(Finding) in
      try checkInterval(10)
    }
  }

  /// Returns media with forced key frames; throws if they are none.
  private func forced() throws(Finding) -> Encoding {
    try trial.requireContent()
    var input = trial.input
    input.forcedKeys = Self.forced
    let encoding = try trial.encode(input).get()
    try checkForced(encoding)
    return encoding
  }

  /// Throws if two key frames are further apart than requested.
  private func checkInterval(_ interval: Int) throws(Finding) -> String {
    // An encoder without the key flag does not fail again for the same reason.
    _ = try forced()
    var input = trial.input
    input.keyFrameInterval = interval
    let encoding = try trial.encode(input).get()
    let shown = encoding.packets.filter { !$0.flags.contains(.discard) }
      .sorted { ($0.pts ?? 0) < ($1.pts ?? 0) }
    var last = 0
    for (number, packet) in shown.enumerated() where packet.flags.contains(.key) {
      guard number - last <= interval else { break }
      last = number
    }
    guard shown.count - last <= interval else {
      throw Finding(
        "no key frame follows within \(interval) frames after frame \(last); key_frame_interval is \(interval)"
      )
    }
    return "at most \(interval) frames apart"
  }

  /// Decodes from several key frames on, and compares their frames.
  private func checkKeys(_ encoding: Encoding) throws(Finding) -> String {
    let keys = encoding.packets.indices.filter { encoding.packets[$0].flags.contains(.key) }
    // The second one is most often wrong; the others are spread over the whole.
    let chosen = Set(keys.dropFirst().prefix(1) + (1..<6).map { keys[keys.count * $0 / 6] })
    for index in chosen.sorted() where index > 0 {
      guard let problem = try problem(encoding, from: index) else { continue }
      throw Finding(
        "packet \(index) has the key flag, but decoding cannot start there: \(problem)",
        cause: "the key flag is false")
    }
    return "\(encoding.packets.count.counting("packet")), of which "
      + (keys.count == 1 ? "1 is a key frame" : "\(keys.count) are key frames")
  }

  private func checkForced(_ encoding: Encoding) throws(Finding) {
    for number in Self.forced.sorted() where encoding.times.indices.contains(number) {
      let time = encoding.times[number]
      guard
        let index = encoding.packets.firstIndex(where: { $0.pts == time })
      else { continue }
      guard !encoding.packets[index].flags.contains(.key) else { continue }
      // The record may show that it is one.
      try Finding.require { () throws(Finding) in
        try ConfigurationChecks.check(
          encoding.track, encoding.packets, sampleCount: encoding.sampleCount)
      }
      let isAlone = try problem(encoding, from: index) == nil
      throw Finding(
        isAlone
          ? "frame \(number) became a key frame, but its packet has no key flag"
          : "frame \(number) has RSP_FRAME_MUST_BE_KEY, but did not become a key frame")
    }
  }

  /// Returns the reason why the frame of a packet is not decoded alone; `nil` if it is, or without a decoder.
  private func problem(_ encoding: Encoding, from index: Int) throws(Finding) -> String? {
    let packets = Array(encoding.packets[index...].prefix(24))
    let frames: [Frame]
    do throws(Finding) {
      guard let decoded = try trial.decode(packets, encoding.track) else { return nil }
      frames = decoded.frames
    } catch { return error.words }
    guard let frame = frames.first(where: { $0.pts == packets[0].pts }) else {
      return "its frame is not decoded"
    }
    let comparison = VideoComparison(encoding)
    do throws(Finding) {
      try Finding.require { () throws(Finding) in try comparison.check([frame]) }
    } catch { return error.words }
    return nil
  }
}
