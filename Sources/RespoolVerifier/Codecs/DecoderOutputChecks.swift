import CVerifier
import RespoolHost
import RespoolMedia

/// Checks that a decoder returns each frame, with its time and its content, whatever happened before.
struct DecoderOutputChecks {
  let trial: DecoderTrial

  func run(_ report: Report) {
    let name = trial.name
    report.check("\(name): every frame") { () throws(Finding) in try count() }
    report.check("\(name): times") { () throws(Finding) in try times() }
    report.check("\(name): content") { () throws(Finding) in try content() }
    report.check("\(name): flush") { () throws(Finding) in try flush(afterDraining: false) }
    report.check("\(name): used again after its end") { () throws(Finding) in
      try flush(afterDraining: true)
    }
    report.check("\(name): the same frames twice") { () throws(Finding) in
      let first = try trial.decoding.get()
      guard_fill_heap(HeapPattern.second)
      defer { guard_fill_heap(HeapPattern.first) }
      guard try trial.decode().get().hashes == first.hashes else {
        throw Finding(
          "the frames differ between two runs with the same packets: they depend on memory that "
            + "was not written to, or on time"
        )
      }
      return "\(first.frames.count.counting("frame", "is", "are")) equal"
    }
    report.check("\(name): 1 and 4 threads") { () throws(Finding) in
      let first = try trial.decoding.get()
      guard try trial.decode(threads: 4).get().hashes == first.hashes else {
        throw Finding("the frames differ between 1 and 4 threads")
      }
      return "\(first.frames.count.counting("frame", "is", "are")) equal"
    }
  }

  /// Numbers of packets that are shown, each as a frame.
  private func shown(_ source: DecoderTrial.Source) -> [Packet] {
    source.packets.filter { !$0.flags.contains(.discard) }
  }

  private func count() throws(Finding) -> String {
    let source = try trial.source.get()
    let frames = try trial.decoding.get().frames
    guard !frames.isEmpty else { throw Finding("no frames were returned") }
    guard source.track.kind == .video else {
      guard let encoding = source.encoding else { return frames.count.counting("frame") }
      let comparison = AudioComparison(encoding)
      let count = try comparison.samples(frames).count
      let expected = encoding.packets.reduce(Int64(0)) { $0 + $1.duration - $1.trimEnd }
      let rate = Rational(1, Int32(clamping: max(1, source.track.sampleRate)))
      let wanted =
        source.track.timeBase.convert(expected, to: rate) - Int64(source.track.initialPadding)
      guard expected == 0 || Int64(count) == wanted else {
        try Finding.require { () throws(Finding) in try comparison.check(frames) }
        throw Finding("\(count) audio samples were decoded; the packets have \(wanted)")
      }
      return "\(count) audio samples"
    }
    // A file may begin with frames that refer to others, and its packets may have hidden frames.
    guard source.encoding != nil else { return frames.count.counting("frame") }
    let expected = shown(source).count
    guard frames.count == expected else {
      throw Finding(
        "\(frames.count.counting("frame", "was", "were")) decoded from "
          + "\(expected.counting("packet")): "
          + (frames.count < expected
            ? "some are missing, perhaps those that the decoder held when it was drained"
            : "there are too many"),
        cause:
          "\(trial.factory.description.name) decodes another number of frames than there are "
          + "packets"
      )
    }
    return frames.count.counting("frame")
  }

  private func times() throws(Finding) -> String {
    let source = try trial.source.get()
    let frames = try trial.decoding.get().frames
    guard source.track.kind == .video else {
      guard let packet = source.packets.first, var first = packet.pts,
        let frame = frames.first?.pts
      else { throw .skipped("the first packet or the first frame has no pts") }
      // The first packet of Vorbis gives no audio (Vorbis I 4.3.8).
      if source.track.codec == "vorbis" { first += packet.duration }
      guard source.encoding == nil || abs(frame - first) <= 1 else {
        throw Finding("the first frame has the pts \(frame); its packet has \(first)")
      }
      return "from \(frame) on"
    }
    let found = frames.compactMap(\.pts)
    guard found == found.sorted() else { throw Finding("the times of the frames do not rise") }
    guard source.encoding != nil else { return "rising" }
    let expected = Set(shown(source).compactMap(\.pts))
    guard Set(found).count == found.count else { throw Finding("two frames have the same pts") }
    if let strange = found.first(where: { !expected.contains($0) }) {
      throw Finding("a frame has the pts \(strange), which no packet has")
    }
    return "those of the packets"
  }

  private func content() throws(Finding) -> String {
    let source = try trial.source.get()
    let frames = try trial.unchanged().frames
    guard let encoding = source.encoding else {
      throw .skipped("the frames that the file was made of are not known")
    }
    try Finding.require(times)
    return source.track.kind == .video
      ? try VideoComparison(encoding).check(frames) : try AudioComparison(encoding).check(frames)
  }

  /// Decodes some packets, flushes, and decodes all from the start.
  private func flush(afterDraining: Bool) throws(Finding) -> String {
    let source = try trial.source.get()
    let expected = try trial.unchanged().hashes
    let run = try DecoderRun(
      trial.factory, source.track, limit: source.packets.count * 8 + 400)
    for (number, packet) in source.packets.prefix(9).enumerated() { try run.send(packet, number) }
    if afterDraining { try run.drain() }
    run.flush()
    let before = run.frames.count
    for (number, packet) in source.packets.enumerated() { try run.send(packet, number) }
    try run.drain()
    let hashes = run.frames.dropFirst(before).map(\.contentHash)
    // Audio may depend on what was before: only its amount must be the same.
    guard source.track.kind == .video ? hashes == expected : hashes.count == expected.count else {
      throw Finding(
        "after flush, \(hashes.count.counting("frame", "was", "were")) decoded from the same "
          + "packets that gave \(expected.count): "
          + (hashes.count == expected.count
            ? "they have another content"
            : "frames from before the flush are left, or frames are missing"))
    }
    return "as at first"
  }
}
