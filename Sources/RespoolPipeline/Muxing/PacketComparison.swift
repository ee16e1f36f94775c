import RespoolMedia

/// Comparison of the packets of a track as they were written and as they are read back.
struct PacketComparison {
  private let readback: TrackReadback
  private var written: WrittenTrack { readback.written }
  /// Time by which all tracks are read later than they were written, in seconds.
  private let shift: Double

  init(_ readback: TrackReadback, shift: Double) {
    (self.readback, self.shift) = (readback, shift)
  }

  /// The difference of the packets; `nil` if there is none.
  var difference: OutputComparison.Difference? {
    guard isMedia else { return wholeDifference.map { .loss($0) } }
    guard !written.isRepacketized else {
      return (byteDifference ?? wholeDifference).map { .wrong($0) }
    }
    if let countDifference { return countDifference }
    // The first packets that are read are not those that were written first.
    guard !readback.lacksLead else { return nil }
    return (byteDifference ?? sampleDifference ?? wholeDifference ?? keyDifference)
      .map { .wrong($0) }
  }

  /// `true` for audio and video.
  ///
  /// Text and timed metadata have empty and repeated packets in some containers.
  private var isMedia: Bool { readback.track.kind == .audio || readback.track.kind == .video }

  private var countDifference: OutputComparison.Difference? {
    let count = readback.samples.packetCount
    // Packets of which nothing is presented may lie outside of an edit list. Where a container does not store the time
    // of each packet, its muxer fills gaps, and readers divide streams in their own way.
    let isLess = count < written.shownPacketCount
    guard isLess || written.storesTimes && count > written.packetCount else { return nil }
    let text = "has \(count.counting("packet")); \(written.packetCount) were written"
    // An edit between two frames may present none.
    if count == 0, !readback.track.edits.isEmpty { return .loss(text) }
    let isMuchLess = Double(count) < Double(written.shownPacketCount) * Self.leastPart - 2
    return written.storesTimes || written.digest != nil || isMuchLess ? .wrong(text) : .loss(text)
  }

  /// Part of the packets of a copied stream that has to be there: muxers leave out what is presented twice.
  private static let leastPart = 0.95

  private var byteDifference: String? {
    let needsRecord = written.digest != nil && !written.track.extradata.isEmpty
    if let found = readback.configuration { return difference(ofConfiguration: found) }
    guard !needsRecord || !readback.track.extradata.isEmpty else {
      return
        "has no configuration record; one of \(written.track.extradata.count) bytes was written"
    }
    return hasWrittenBytes ? contentDifference : nil
  }

  /// `true` if the bytes of the packets are those that were written.
  ///
  /// A muxer may change the framing of packets: that of NAL units (ISO/IEC 14496-15) with the configuration, that of
  /// WavPack's blocks (RFC 9559, codec mappings) without. Transport streams add delimiters to NAL units with start codes.
  private var hasWrittenBytes: Bool {
    let track = written.track
    guard track.codec == readback.track.codec else { return false }
    return track.kind == .subtitle
      || track.extradata == readback.track.extradata && track.codec != "wavpack"
        && !(["h264", "hevc"].contains(track.codec) && AnnexB.isByteStream(written.bytes))
  }

  /// `true` if the headers of MPEG video are stored apart, which streams repeat in front of frames.
  private var movesHeaders: Bool {
    written.track.codec.hasPrefix("mpeg") && !written.track.extradata.isEmpty
  }

  /// The difference of all bytes; `nil` if there is none, or they are not compared.
  private var wholeDifference: String? {
    guard let before = written.content, let after = readback.content, !movesHeaders,
      before.isWhole, after.isWhole,
      hasWrittenBytes || readback.configuration != nil
        || before.isOfUnits && readback.track.codec == written.track.codec
    else { return nil }
    if before.byteCount == after.byteCount {
      return before.value == after.value ? nil : "has other bytes in its packets than were written"
    }
    // Other checks find packets too few, and readers divide streams in their own way.
    guard written.storesTimes, !written.isRepacketized, !before.isOfUnits,
      written.packetCount == readback.samples.packetCount || written.track.kind == .subtitle
    else { return nil }
    return "has \(Int(after.byteCount).counting("byte")) of packets; "
      + "\(before.byteCount) were written"
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
    // Muxers of streams fill gaps, and the start of MP3, with packets of their own.
    guard written.storesTimes || readback.samples.packetCount <= written.packetCount else {
      return nil
    }
    var found = readback.bytes[...]
    // Streams repeat the headers of MPEG video in front of frames, which files store apart.
    let header = written.track.extradata
    let repeatsHeader =
      movesHeaders && found.starts(with: header) && !written.bytes.starts(with: header)
    if repeatsHeader { found = found.dropFirst(header.count) }
    let count = min(written.bytes.count, found.count)
    let same = zip(written.bytes, found).prefix { $0 == $1 }.count
    // Further headers follow where further frames do.
    let compared = repeatsHeader ? min(count, Self.leastCount) : count
    if same < compared { return "has other bytes from byte \(same) of its packets on" }
    // Packets after the end of an edit are not read.
    guard readback.bytes.count < written.bytes.count, readback.track.edits.isEmpty else {
      return nil
    }
    return
      "has \(readback.bytes.count) bytes of packets, and at least \(written.bytes.count) were written"
  }

  /// Number of bytes that are compared of packets with headers in between.
  private static let leastCount = 256

  /// The first difference of a packet along the track.
  private var sampleDifference: String? {
    // Readers divide streams into packets in their own way.
    guard written.storesTimes, hasWrittenBytes, readback.configuration == nil, !movesHeaders
    else { return nil }
    for (one, other) in zip(written.samples.samples, readback.samples.samples) {
      if one.size != other.size {
        return "has \(other.size.counting("byte")) in packet \(one.number) instead of \(one.size)"
      }
      if one.start != other.start { return "has other bytes in packet \(one.number)" }
    }
    return nil
  }

  private var keyDifference: String? {
    // A container that does not store sync samples leaves it to readers to find them in the media.
    guard readback.track.kind == .video, written.storesTimes || written.digest != nil else {
      return nil
    }
    for (one, other) in zip(written.samples.samples, readback.samples.samples)
    where one.isKey != other.isKey {
      return "has \(other.isKey ? "the" : "no") key flag for packet \(one.number)"
    }
    let (keys, found) = (written.samples.keyCount, readback.samples.keyCount)
    // Packets outside of an edit list may be left out.
    guard found != keys, readback.samples.packetCount == written.packetCount else { return nil }
    return "has \(found.counting("sync sample")); \(keys) were written"
  }

  /// The first difference of a presentation time; `nil` if there is none.
  var timeDifference: OutputComparison.Difference? {
    guard isMedia, !written.isRepacketized, !readback.lacksLead else { return nil }
    for (sample, found) in zip(written.samples.samples, readback.samples.samples) {
      guard let one = sample.pts, let other = found.pts else { continue }
      let before = readback.seconds(one, written.timeBase)
      let after =
        readback.seconds(other, readback.track.timeBase) - shift - readback.editRounding
      guard abs(after - before) > readback.tolerance else { continue }
      return readback.difference(
        ofTimes: "has packet \(sample.number) at \(after.decimalText) s instead of "
          + "\(before.decimalText) s", by: after - before)
    }
    return nil
  }
}
