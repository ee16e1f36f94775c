import RespoolMedia

/// Comparison of the first packets of a track as they were written and as they are readback.
struct PacketComparison {
  private let readback: TrackReadback
  private var written: WrittenTrack { readback.written }
  /// `false` if the file was not read far enough to conclude that packets are missing.
  private let isComplete: Bool
  /// Time by which all tracks are read later than they were written, in seconds.
  private let shift: Double

  init(_ readback: TrackReadback, isComplete: Bool, shift: Double) {
    (self.readback, self.isComplete, self.shift) = (readback, isComplete, shift)
  }

  /// The difference of the packets as part of a sentence; `nil` if there is none.
  var difference: String? {
    guard isMedia else { return nil }
    guard !written.isRepacketized else { return byteDifference }
    return countDifference ?? byteDifference ?? keyDifference
  }

  /// `true` for audio and video.
  ///
  /// Text and timed metadata have empty and repeated packets in some containers.
  private var isMedia: Bool { readback.track.kind == .audio || readback.track.kind == .video }

  private var countDifference: String? {
    if isComplete, readback.packets.count < written.packets.count {
      return "has \(readback.packets.count) of its first \(written.packets.count) packets"
    }
    // Packets of which nothing is presented may lie outside of an edit list.
    guard let count = readback.track.packetCount, count < written.shownPacketCount else {
      return nil
    }
    return "has \(count) packets, and \(written.packetCount) were written"
  }

  private var byteDifference: String? {
    let needsRecord = written.digest != nil && !written.track.extradata.isEmpty
    if let found = readback.configuration { return difference(ofConfiguration: found) }
    guard !needsRecord || !readback.track.extradata.isEmpty else {
      return
        "has no configuration record; one of \(written.track.extradata.count) bytes was written"
    }
    // A muxer may change the framing of packets: that of NAL units (ISO/IEC 14496-15) with the configuration, that of
    // WavPack's blocks (RFC 9559, codec mappings) without.
    guard written.track.extradata == readback.track.extradata, written.track.codec != "wavpack"
    else {
      return nil
    }
    // Transport streams add delimiters to NAL units with start codes.
    if ["h264", "hevc"].contains(written.track.codec), AnnexB.isByteStream(written.bytes) {
      return nil
    }
    return contentDifference
  }

  /// Compares the configuration in ADTS headers, which states only that of the core.
  private func difference(ofConfiguration found: AudioSpecificConfiguration) -> String? {
    guard let own = try? AudioSpecificConfiguration(written.track.extradata),
      own.objectType == found.objectType, own.sampleRate == found.sampleRate,
      own.channelConfiguration == found.channelConfiguration
    else { return "has another configuration of AAC than was written" }
    return contentDifference
  }

  private var contentDifference: String? {
    var found = readback.bytes[...]
    // Streams repeat the headers of MPEG video in front of frames, which files store apart.
    let header = written.track.extradata
    let repeatsHeader =
      written.track.codec.hasPrefix("mpeg") && !header.isEmpty && found.starts(with: header)
      && !written.bytes.starts(with: header)
    if repeatsHeader { found = found.dropFirst(header.count) }
    let count = min(written.bytes.count, found.count)
    let same = zip(written.bytes, found).prefix { $0 == $1 }.count
    // Further headers follow where further frames do.
    let compared = repeatsHeader ? min(count, Self.leastCount) : count
    if same < compared { return "has other bytes from byte \(same) of its packets on" }
    guard isComplete, readback.bytes.count < written.bytes.count else { return nil }
    return
      "has \(readback.bytes.count) bytes of packets, and at least \(written.bytes.count) were written"
  }

  /// Number of bytes that are compared of packets with headers in between.
  private static let leastCount = 256

  private var keyDifference: String? {
    guard readback.track.kind == .video else { return nil }
    for (number, (one, other)) in zip(written.packets, readback.packets).enumerated()
    where one.isKey != other.isKey {
      return "has \(other.isKey ? "the" : "no") key flag for packet \(number)"
    }
    return nil
  }

  /// The first difference of a presentation time as part of a sentence; `nil` if there is none.
  var timeDifference: String? {
    guard isMedia, !written.isRepacketized else { return nil }
    for (number, (one, other)) in zip(written.packets, readback.packets).enumerated() {
      guard let one = one.pts, let other = other.pts else { continue }
      let before = readback.seconds(one, written.timeBase)
      let after = readback.seconds(other, readback.track.timeBase) - shift
      guard abs(after - before) > readback.tolerance else { continue }
      return "has packet \(number) at \(after.decimalText) s instead of \(before.decimalText) s"
    }
    return nil
  }
}
