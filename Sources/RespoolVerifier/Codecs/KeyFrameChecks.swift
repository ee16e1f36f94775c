import RespoolHost
import RespoolMedia

/// Checks that decoding can start at packets with the key flag, and that requested key frames are made.
struct KeyFrameChecks {
  let trial: EncoderTrial

  /// Numbers of the frames that must be key frames.
  private static let forced: Set<Int> = [17, 45]

  func run(_ report: Report) {
    report.check("\(trial.codec): key frames") { () throws(Finding) in
      _ = try trial.content()
      let encoding = try trial.encoding.get()
      guard let first = encoding.packets.first else { throw Finding("no packets were returned") }
      guard first.flags.contains(.key) else {
        throw Finding("the first packet is not marked as a key frame")
      }
      return try checkKeys(encoding)
    }
    report.check("\(trial.codec): forced key frames") { () throws(Finding) in
      _ = try trial.content()
      var input = trial.input
      input.forcedKeys = Self.forced
      let encoding = try trial.encode(input).get()
      try checkForced(encoding)
      return "\(Self.forced.count) frames; \(try checkKeys(encoding))"
    }
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
    return "\(keys.count) of \(encoding.packets.count) packets are key frames"
  }

  private func checkForced(_ encoding: Encoding) throws(Finding) {
    for number in Self.forced.sorted() where encoding.times.indices.contains(number) {
      let time = encoding.times[number]
      guard
        let index = encoding.packets.firstIndex(where: { $0.pts == time })
      else { continue }
      guard !encoding.packets[index].flags.contains(.key) else { continue }
      // The record may show that it is one.
      _ = try ConfigurationChecks.check(
        encoding.track, encoding.packets, sampleCount: encoding.sampleCount)
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
    do throws(Finding) { _ = try comparison.check([frame]) } catch { return error.words }
    return nil
  }
}
