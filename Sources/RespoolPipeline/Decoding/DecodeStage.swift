package import RespoolMedia

/// Decodes packets to frames, then applies the packets' instructions for presentation.
///
/// Drops the frames of packets that are marked as discarded, and trims audio to the audio sample. Restores
/// durations and color that only the container stores. A packet that cannot be decoded is counted and
/// skipped, as in every player. It is an error if no packet of a track can be decoded.
package final class DecodeStage: Stage {
  package private(set) var decoder: DecoderInstance
  private let source: FileSource
  package let track: TrackDescription
  private let next: any Stage<Frame>
  /// Number of the sample description that the decoder was opened for.
  private var sampleDescription = 0
  /// Color that the container stores; the bitstream may not state it.
  private var color: ColorDescription
  private let open: (TrackDescription) throws(MediaError) -> DecoderInstance
  /// Called with the number of the sample description of the following frames when it changes.
  package var onChange: ((Int) -> Void)?

  /// Properties of a packet that its frame needs after decoding.
  private struct PacketNote {
    var duration: Int64
    var discard: Bool
    var trimEnd: Int64
    var rate: Double
  }
  private var packetNotes: [Int64: PacketNote] = [:]
  /// Duration still to be dropped from the start, in the time base of the track.
  private var pendingTrim: Int64 = 0
  /// Audio samples still to be dropped from the start.
  ///
  /// Converted from ``pendingTrim`` when the sample rate is known, so that it is rounded once and not with
  /// every frame.
  private var pendingSamples: Int64 = 0
  /// Presentation time at which the audio ends, for a packet that is decoded to several frames.
  private var cut: Int64?
  private var expected: Int64?
  /// Rate of the edit that the audio belongs to.
  ///
  /// Its audio samples are taken as samples of another sample rate, so that all stages play them faster or slower.
  private var rate = 1.0
  /// Edits of a track of which some play their media at another speed.
  private let pacedEdits: [TrackDescription.Edit]
  /// Index of the track in the file.
  ///
  /// `nil` before the first packet.
  private var index: Int?

  private(set) var frameCount = 0
  /// Numbers of packets that were sent and of frames that came, whether they are presented or not.
  private var counts = (packets: 0, frames: 0)
  /// Size of the first frame, if the file states another one.
  private var unstatedSize: (width: Int, height: Int)?
  package private(set) var damagedPackets = 0
  package private(set) var firstDamage: MediaError?
  /// Number and times of packets that could not be decoded.
  package private(set) var lost = DamageTally()
  /// Number and times of frames that the decoder marked as partly damaged.
  package private(set) var marked = DamageTally()

  /// Number, times and cause of damaged packets and frames, as part of a sentence.
  ///
  /// `nil` if there was no damage.
  package var damage: String? {
    func count(_ number: Int, _ word: String) -> String {
      number == 1 ? "1 \(word)" : "\(number) \(word)s"
    }
    var problems: [String] = []
    if damagedPackets > 0 {
      let reason = firstDamage.map { ": \($0.description)" } ?? ""
      let span = lost.description(in: track.timeBase)
      problems.append("\(count(damagedPackets, "packet")) could not be decoded\(span)\(reason)")
    }
    if marked.count > 0 {
      let span = marked.description(in: track.timeBase)
      problems.append("parts of \(count(marked.count, "frame")) are damaged\(span)")
    }
    return problems.isEmpty ? nil : problems.joined(separator: "; ")
  }

  /// Differences of the frames from what the file states, as part of a sentence; `nil` if there are none.
  ///
  /// There are files that are so, for example those that begin with frames that need an earlier one.
  package var remark: String? {
    guard track.kind == .video else { return nil }
    var remarks: [String] = []
    if let (width, height) = unstatedSize {
      remarks.append(
        "frames have \(width)x\(height) pixels; the file states \(track.width)x\(track.height)")
    }
    let missing = counts.packets - counts.frames - damagedPackets
    if missing > 0, !Self.codecsWithHiddenFrames.contains(track.codec) {
      remarks.append(
        "\(decoder.factory.label) returned no frame for "
          + "\(missing) of \(counts.packets) packets")
    }
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }

  /// `true` if all packets so far are marked as not presented.
  package var hasHiddenPackets: Bool { counts.packets == 0 }

  /// Codecs with packets that only later ones show.
  private static let codecsWithHiddenFrames: Set<String> = ["vp8", "vp9", "av1"]

  /// Codecs that do not signal interlacing, so that only the container stores it.
  private static let codecsWithoutFields: Set<String> = [
    "rawvideo", "v210", "v308", "v408", "v410", "yuv4", "huffyuv", "ffvhuff", "utvideo", "qtrle",
    "png", "r210",
  ]

  /// Frame flags for the field order that the container states.
  private var statedFields: Frame.Flags {
    switch track.fieldOrder {
    case .topFirst: [.interlaced, .topFieldFirst]
    case .bottomFirst: .interlaced
    case .progressive, .unknown: []
    }
  }

  /// Throws if there is no decoder for the track.
  ///
  /// If `isStrict` is `true`, the decoder reports damage that it would otherwise conceal.
  package init(
    _ track: TrackDescription, of source: FileSource, registry: PluginRegistry, threads: Int,
    isStrict: Bool = false, to next: any Stage<Frame>
  ) throws(MediaError) {
    open = { (track) throws(MediaError) in
      try registry.openDecoder(track, threads: threads, isStrict: isStrict)
    }
    decoder = try open(track)
    self.source = source
    self.track = track
    color = track.color
    self.next = next
    pacedEdits = track.kind == .audio && track.changedRate != nil ? track.edits : []
  }

  package func consume(_ packet: Packet) throws(MediaError) {
    if packet.flags.contains(.discontinuity) { try restart() }
    if packet.sampleDescriptionIndex != sampleDescription {
      try change(to: packet.sampleDescriptionIndex)
    }
    let packet = try source.bytes(of: packet)
    index = packet.track
    guard packet.size > 0 else { return }
    if let pts = packet.pts ?? packet.dts {
      // A decoder holds back a few dozen packets at most. More entries mean that times repeat or frames were
      // lost, so the old entries are useless.
      if packetNotes.count > 4096 { packetNotes.removeAll() }
      packetNotes[pts] = PacketNote(
        duration: packet.duration, discard: packet.flags.contains(.discard),
        trimEnd: packet.trimEnd, rate: rate(at: pts.addingClamped(packet.trimStart)))
    }
    pendingTrim += packet.trimStart
    if !packet.flags.contains(.discard) { counts.packets += 1 }
    try send(packet)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    try send(nil)
    if frameCount == 0, var firstDamage {
      firstDamage.track = index
      throw firstDamage.inFile(source.path)
    }
    try next.finish()
  }

  /// Drains and flushes the decoder, because the following packets do not continue the previous ones.
  private func restart() throws(MediaError) {
    try send(nil)
    decoder.flush()
    packetNotes.removeAll()
    pendingTrim = 0
    pendingSamples = 0
    cut = nil
    expected = nil
  }

  /// Drains the decoder and opens one for another sample description.
  ///
  /// The audio before and after the change plays without a gap, so audio samples still to be dropped from the
  /// start stay to be dropped.
  private func change(to number: Int) throws(MediaError) {
    try send(nil)
    expected = nil
    let descriptions = track.sampleDescriptions
    guard descriptions.indices.contains(number) else {
      throw MediaError(.malformed, "the file has other sample descriptions than when it was opened")
    }
    decoder = try open(descriptions[number])
    sampleDescription = number
    color = descriptions[number].color
    onChange?(number)
  }

  private func send(_ packet: Packet?) throws(MediaError) {
    var attempts = 0
    while true {
      let feeding: Feeding
      do throws(MediaError) {
        feeding = try decoder.send(packet)
      } catch {
        try note(error, at: packet?.pts ?? packet?.dts)
        if packet == nil { return }
        feeding = .accepted
      }
      let received = try receive()
      if feeding == .accepted { return }
      attempts = received ? 0 : attempts + 1
      // A decoder that is full and has no output breaks its contract: the packet is lost.
      guard attempts < 3 else {
        try note(
          MediaError(.pluginFailure, "the decoder neither accepts a packet nor returns a frame"))
        return
      }
    }
  }

  /// Passes on the available output of the decoder; returns `true` if there was any.
  private func receive() throws(MediaError) -> Bool {
    var any = false
    var failures = 0
    while true {
      let output: Output<Frame>
      do throws(MediaError) {
        output = try decoder.receive()
      } catch {
        try note(error)
        failures += 1
        if failures > 64 { return any }
        continue
      }
      guard case .value(let frame) = output else { return any }
      any = true
      try hand(on: frame)
    }
  }

  private func note(_ error: MediaError, at time: Int64? = nil) throws(MediaError) {
    var error = error
    if let time, error.path == nil {
      error.path = "at \(track.timeBase.convert(time, to: Rational(1, 1000))) ms"
    }
    if error.code == .cancelled || error.code == .unsupported && frameCount == 0 { throw error }
    damagedPackets += 1
    lost.add(at: time)
    if firstDamage == nil { firstDamage = error }
  }

  /// Returns the rate of the edit at a presentation time.
  private func rate(at time: Int64) -> Double {
    let edit = pacedEdits.last { $0.presentationStart <= time } ?? pacedEdits.first
    guard let edit, TrackDescription.Edit.audibleRates.contains(edit.rate) else { return 1 }
    return edit.rate
  }

  private func hand(on frame: Frame) throws(MediaError) {
    var frame = frame
    counts.frames += 1
    if counts.frames == 1, track.width > 0,
      (frame.width, frame.height) != (track.width, track.height)
    {
      unstatedSize = (frame.width, frame.height)
    }
    let pts = frame.pts ?? expected
    frame.pts = pts
    let packetNote = pts.flatMap { packetNotes.removeValue(forKey: $0) }
    if frame.duration <= 0, let packetNote { frame.duration = packetNote.duration }
    if frame.kind == .audio, frame.sampleRate > 0 {
      rate = packetNote?.rate ?? rate
      if rate != 1 { frame.sampleRate = max(1, Int(Double(frame.sampleRate) * rate + 0.5)) }
      let samples = Rational(1, Int32(clamping: frame.sampleRate))
      let length = samples.convert(Int64(frame.sampleCount), to: track.timeBase)
      frame.duration = length
      if let packetNote, isUnbelievable(length, packetNote.duration) {
        return try note(
          MediaError(
            .malformed,
            "a packet decoded to \(frame.sampleCount) audio samples at \(frame.sampleRate) Hz, longer than its "
              + "\(track.timeBase.convert(packetNote.duration, to: Rational(1, 1000))) ms"), at: pts
        )
      }
      if let pts { expected = pts &+ length }
      if packetNote?.discard == true { return }
      guard let trimmed = trim(frame, packetNote) else { return }
      frame = trimmed
    } else {
      let isYUV = frame.pixelFormat.layout?.family == .yuv
      frame.color = frame.color.completed(by: color, isYUV: isYUV)
      if Self.codecsWithoutFields.contains(track.codec) { frame.flags.formUnion(statedFields) }
      if let pts {
        if frame.duration <= 0, track.frameRate.isPositive {
          frame.duration = track.frameRate.inverse.convert(1, to: track.timeBase)
        }
        expected = pts &+ frame.duration
      }
    }
    if packetNote?.discard == true { return }
    frameCount += 1
    if frame.flags.contains(.corrupt) { marked.add(at: pts) }
    try next.consume(frame)
  }

  /// Returns `true` if a frame lasts so much longer than its packet that its header is damaged.
  ///
  /// Times are in the time base of the track. A FLAC frame states its own sample rate. A damaged one may last
  /// minutes.
  private func isUnbelievable(_ length: Int64, _ packet: Int64) -> Bool {
    guard packet > 0, packet < Int64.max / 4 else { return false }
    let second = Rational(1, 1).convert(1, to: track.timeBase)
    return length > packet * 2 + second
  }

  /// Trims audio that must not be heard; returns `nil` if nothing is left.
  private func trim(_ frame: Frame, _ packetNote: PacketNote?) -> Frame? {
    let samples = Rational(1, Int32(clamping: frame.sampleRate))
    if pendingTrim > 0 {
      pendingSamples += track.timeBase.convert(pendingTrim, to: samples)
      pendingTrim = 0
    }
    let front = Int(min(pendingSamples, Int64(frame.sampleCount)))
    pendingSamples -= Int64(front)
    var back = 0
    if let packetNote {
      cut = nil
      if packetNote.trimEnd > 0 {
        if packetNote.duration > frame.duration, let pts = frame.pts {
          cut = pts &+ packetNote.duration &- packetNote.trimEnd
        } else {
          back = Int(clamping: track.timeBase.convert(packetNote.trimEnd, to: samples))
        }
      }
    }
    if let cut, let pts = frame.pts {
      let left = track.timeBase.convert(max(0, cut &- pts), to: samples)
      back = max(0, frame.sampleCount - Int(clamping: left))
    }
    guard front > 0 || back > 0 else { return frame }
    return frame.droppingSamples(
      front: front, back: min(back, frame.sampleCount - front), timeBase: track.timeBase)
  }
}
