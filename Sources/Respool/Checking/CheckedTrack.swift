import RespoolMedia

/// A track of a file that is checked: decodes its packets, or only reads them.
final class CheckedTrack: Stage {
  let track: TrackDescription
  private let source: FileSource
  private let pace: ReadPace
  private let counter = FrameCounter()
  /// Decoder of audio and video; `nil` for other tracks, and if no plugin decodes the track.
  private let decode: DecodeStage?
  /// Error for which the track is not decoded, or not any more.
  private var failure: MediaError?
  /// Numbers and times of packets that the demuxer marked as damaged.
  private var marked = DamageTally()
  private var packetCount: Int64 = 0
  /// Presentation times of sync samples, in the time base of the track.
  private(set) var syncTimes: [Int64] = []
  /// Maximum number of sync samples that are remembered; then every second one is dropped.
  private static let mostSyncTimes = 4096
  private var syncStep = 1
  private var syncCount = 0

  /// Opens a decoder for audio and video.
  init(
    _ track: TrackDescription, of source: FileSource, _ builder: ChainBuilder, _ pace: ReadPace
  ) {
    (self.track, self.source, self.pace) = (track, source, pace)
    guard track.kind == .video || track.kind == .audio else {
      decode = nil
      return
    }
    do throws(MediaError) {
      decode = try builder.decode(track, of: source, isStrict: true, to: counter)
    } catch {
      (decode, failure) = (nil, error)
    }
  }

  func consume(_ packet: Packet) throws(MediaError) {
    packetCount += 1
    pace.add(packet.size)
    if packet.flags.contains(.corrupt) { marked.add(at: packet.pts ?? packet.dts) }
    if packet.flags.contains(.key), let pts = packet.pts { addSync(pts) }
    guard let decode else {
      _ = try source.bytes(of: packet)
      return
    }
    try attempt { () throws(MediaError) in try decode.consume(packet) }
  }

  func finish() throws(MediaError) {
    guard let decode else { return }
    try attempt { () throws(MediaError) in try decode.finish() }
  }

  /// Runs a step of decoding, unless one has failed before.
  ///
  /// The other tracks continue after a failure. Throws `io` and `cancelled`.
  private func attempt(_ step: () throws(MediaError) -> Void) throws(MediaError) {
    guard failure == nil else { return }
    do throws(MediaError) { try step() } catch {
      if error.code == .io || error.code == .cancelled { throw error }
      failure = error
    }
  }

  private func addSync(_ time: Int64) {
    defer { syncCount += 1 }
    guard syncCount.isMultiple(of: syncStep) else { return }
    syncTimes.append(time)
    guard syncTimes.count >= Self.mostSyncTimes else { return }
    syncTimes = syncTimes.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    syncStep *= 2
  }

  /// Contents that were read.
  var contents: FileCheck.Track {
    FileCheck.Track(
      kind: track.kind, isCover: track.disposition.contains(.attachedPicture),
      packetCount: packetCount,
      frameCount: decode == nil ? nil : counter.frameCount,
      sampleCount: decode == nil || track.kind != .audio ? nil : counter.sampleCount,
      audioSeconds: counter.audioSeconds)
  }

  /// Findings about the track, without its number.
  var findings: [FileCheck.Finding] {
    var findings: [FileCheck.Finding] = []
    if let damage = decode?.damage {
      let times = [decode?.lost, decode?.marked].compactMap { $0?.seconds(in: track.timeBase) }
      let start = times.map(\.lowerBound).min()
      let end = times.map(\.upperBound).max()
      findings.append(
        .init(.damage, times: start.flatMap { start in end.map { start...$0 } }, damage))
    } else if marked.count > 0 {
      let count = marked.count.counting("packet", "is", "are")
      findings.append(
        .init(
          .damage, times: marked.seconds(in: track.timeBase),
          "\(count) damaged\(marked.description(in: track.timeBase))"))
    }
    if let failure, decode?.damage == nil {
      var failure = failure
      (failure.file, failure.track) = (nil, nil)
      let isDamage = failure.code == .malformed || failure.code == .limitExceeded
      findings.append(
        .init(
          isDamage ? .damage : .unchecked,
          "\(track.codecLabel) was not decoded: \(failure.description)"))
    }
    if let remark = decode?.remark { findings.append(.init(.disagreement, remark)) }
    if let remark = countRemark { findings.append(.init(.disagreement, remark)) }
    if let fault = countFault { findings.append(.init(.damage, fault)) }
    return findings
  }

  /// Difference of the number of packets from the stated one, as a sentence; `nil` if there is none.
  ///
  /// Writers of AVI files count differently.
  private var countRemark: String? {
    guard let stated = track.packetCount, stated > packetCount, track.kind == .video else {
      return nil
    }
    return "the file states \(stated.counting("packet")); \(packetCount) were read"
  }

  /// Lack of frames or audio samples, as a sentence; `nil` if there is none.
  private var countFault: String? {
    if packetCount == 0, track.kind == .audio || track.isMovingPicture,
      let duration = track.duration, duration > 0
    {
      let seconds = (Double(duration) * track.timeBase.doubleValue).decimalText
      return "no packet was found; the file states a duration of \(seconds) s"
    }
    guard let decode, failure == nil, decode.damage == nil else { return nil }
    if packetCount > 0, counter.frameCount == 0, !decode.hasHiddenPackets {
      return "no frame could be decoded of \(packetCount.counting("packet"))"
    }
    guard Self.exactCodecs.contains(track.codec), let duration = track.duration,
      duration > 0, track.sampleRate > 0
    else { return nil }
    let unit = Rational(1, Int32(clamping: track.sampleRate))
    let stated = track.timeBase.convert(duration, to: unit)
    // Containers round durations to their time base.
    let tolerance = 2 * max(1, track.timeBase.convert(1, to: unit))
    guard abs(stated - counter.sampleCount) > tolerance else { return nil }
    return "the file states \(stated.counting("audio sample")); "
      + "\(counter.sampleCount) were decoded"
  }

  /// Lossless codecs whose headers state the exact number of audio samples.
  private static let exactCodecs: Set<String> = ["flac", "wavpack", "tta", "ape"]
}

/// The end of a chain that counts frames and audio samples.
private final class FrameCounter: Stage {
  private(set) var frameCount: Int64 = 0
  private(set) var sampleCount: Int64 = 0
  private(set) var audioSeconds = 0.0

  func consume(_ frame: Frame) {
    frameCount += 1
    guard frame.kind == .audio, frame.sampleRate > 0 else { return }
    sampleCount += Int64(frame.sampleCount)
    audioSeconds += Double(frame.sampleCount) / Double(frame.sampleRate)
  }

  func finish() {}
}
