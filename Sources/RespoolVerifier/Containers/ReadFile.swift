import RespoolHost
import RespoolMedia

/// All packets of a file, as a demuxer returns them.
struct ReadFile {
  var media: MediaDescription
  /// Duration that the demuxer states for the file, in nanoseconds.
  let statedDuration: Int64?
  /// First packet with an impossible duration or trim.
  private let timeFault: String?
  /// Packets in the order of the file, with their bytes.
  var packets: [Packet]

  /// Maximum number of packets of a file with `size` bytes, above which the demuxer is in an endless loop.
  static func maximumPackets(_ size: Int64) -> Int { Int(min(size, 900_000_000)) / 16 + 1000 }

  /// Reads the file to its end.
  ///
  /// Throws if a packet cannot be read: the file is intact.
  init(_ demuxer: DemuxerInstance) throws(Finding) {
    media = demuxer.media
    statedDuration = demuxer.statedDuration
    packets = []
    var bytes: Int64 = 0
    let size = demuxer.source.size
    do throws(MediaError) {
      while let packet = try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() })
      {
        packets.append(try demuxer.source.bytes(of: packet))
        bytes += Int64(packet.size)
        guard packets.count <= Self.maximumPackets(size), bytes <= size * 20 + 1 << 20 else {
          throw MediaError(.cancelled, "")
        }
      }
    } catch {
      guard error.code != .cancelled else {
        throw Finding(
          "read returned \(packets.count.counting("packet")) with \(bytes.counting("byte")) of "
            + "a file with \(size), and no end",
          cause: "no end")
      }
      _ = try message(of: error)
      throw Finding(
        "packet \(packets.count) of an intact file cannot be read: \(error.message)",
        cause: error.message)
    }
    timeFault = demuxer.timeFault
  }

  /// Throws if a packet has an impossible duration, or longer trims.
  func checkTrims() throws(Finding) {
    if let timeFault { throw Finding(timeFault, cause: [Packet].excessiveTrims) }
  }

  func packets(of track: Int) -> [Packet] { packets.filter { $0.track == track } }

  /// Hash of all packets and their times.
  var hashes: [UInt64] {
    packets.map { packet in
      var hash = Encoding.hash(packet)
      for value in [packet.pts ?? -1, packet.dts ?? -1, packet.duration, Int64(packet.track)] {
        hash = hash &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: value)
      }
      return hash
    }
  }
}

/// Comparison of what was written with what a demuxer reads.
struct FileComparison {
  let written: WrittenFile
  let read: ReadFile
  /// Name of the demuxer.
  let reader: String

  init(written: WrittenFile, read: ReadFile, reader: String) {
    self.reader = reader
    (self.written, self.read) = NALUnitForm.common(written, read.withoutHeaders(like: written))
  }

  /// Throws if something was lost.
  func check() throws(Finding) {
    guard read.media.tracks.count == written.tracks.count else {
      throw Finding(
        "\(reader) reads \(read.media.tracks.count.counting("track")); \(written.tracks.count) "
          + "were written"
      )
    }
    for index in written.tracks.indices {
      try checkTrack(index)
      try checkBytes(index)
      try checkTimes(index)
    }
  }

  private func checkTrack(_ index: Int) throws(Finding) {
    let (before, after) = (written.tracks[index], read.media.tracks[index])
    guard before.codec == after.codec else {
      throw Finding("\(reader) reads the codec \(after.codec); \(before.codec) was written")
    }
    guard before.extradata.isEmpty || !after.extradata.isEmpty else {
      throw Finding(
        "the configuration record of \(before.codec) is lost: "
          + "\(before.extradata.count.counting("byte", "was", "were")) written, \(reader) reads none",
        cause: "configuration record lost")
    }
    if before.extradata.isEmpty, !after.extradata.isEmpty,
      ConfigurationChecks.hasNone(before.codec)
    {
      throw Finding(
        "\(reader) reads \(after.extradata.count.counting("byte")) of extradata; none were written, "
          + "and \(before.codec) has no configuration record")
    }
    if before.kind == .video, (before.width, before.height) != (after.width, after.height) {
      throw Finding(
        "\(reader) reads \(after.width)x\(after.height) pixels; "
          + "\(before.width)x\(before.height) were written"
      )
    }
    if before.kind == .audio {
      if before.sampleRate != after.sampleRate {
        throw Finding("\(reader) reads \(after.sampleRate) Hz; \(before.sampleRate) were written")
      }
      if before.channelLayout.channelCount != after.channelLayout.channelCount {
        throw Finding(
          "\(reader) reads \(after.channelLayout.channelCount.counting("channel")); "
            + "\(before.channelLayout.channelCount) were written"
        )
      }
    }
  }

  private func checkBytes(_ index: Int) throws(Finding) {
    let before = written.packets[index]
    let after = read.packets(of: index)
    // Containers of PCM divide it in another way.
    let isDivided = written.tracks[index].codec.hasPrefix("pcm_")
    let sizes = (before.reduce(0) { $0 + $1.size }, after.reduce(0) { $0 + $1.size })
    guard isDivided || before.count == after.count else {
      throw Finding(
        "\(reader) reads \(after.count.counting("packet")) of \(TrackNumber(index: index)); "
          + "\(before.count) were written"
          + (after.count < before.count ? ": some are lost" : ""))
    }
    guard sizes.0 == sizes.1, Self.hash(before) == Self.hash(after) else {
      throw Finding("\(reader) reads other bytes of \(TrackNumber(index: index)) than were written")
    }
    for (one, other) in zip(before, after) where !isDivided {
      guard one.flags.contains(.key) == other.flags.contains(.key) else {
        throw Finding(
          one.flags.contains(.key)
            ? "\(reader) reads a sync sample without the key flag"
            : "\(reader) reads the key flag for a packet that is no sync sample")
      }
    }
  }

  private static func hash(_ packets: [Packet]) -> UInt64 {
    packets.reduce(0) { hash, packet in
      packet.buffer?.withBytes { Encoding.hash($0, from: hash) } ?? hash
    }
  }

  private func checkTimes(_ index: Int) throws(Finding) {
    let (own, other) = (written.timeBases[index], read.media.tracks[index].timeBase)
    guard other.isPositive else {
      throw Finding("the time base of \(TrackNumber(index: index)) is \(other)")
    }
    let before = written.packets[index]
    let after = read.packets(of: index)
    // A time is rounded once when it is written and once when it is read.
    let unit = max(own.doubleValue, other.doubleValue) * 1.01
    guard before.count == after.count else {
      return try compare(before.first?.pts, own, after.first?.pts, other, unit, "the first packet")
    }
    for (number, pair) in zip(before, after).enumerated() {
      try compare(pair.0.pts, own, pair.1.pts, other, unit, "packet \(number)")
    }
    if !written.presentsDelay, written.tracks[index].kind == .audio, let one = before.last,
      let last = after.last,
      one.trimEnd > 0, one.duration > 0, last.duration > 0
    {
      let ends = (
        Double(one.duration - one.trimEnd) * own.doubleValue,
        Double(last.duration - last.trimEnd) * other.doubleValue
      )
      guard abs(ends.0 - ends.1) <= unit * 1.5 else {
        throw Finding(
          "\(reader) reads \(ends.1) s of audio in the last packet; \(ends.0) s were written: "
            + "trim_end is lost"
        )
      }
    }
  }

  /// Time in seconds by which a file is read later that cannot state the delay of an audio encoder.
  private var presentedDelay: Double {
    guard written.presentsDelay else { return 0 }
    let starts = written.tracks.indices.compactMap { index -> Double? in
      guard written.tracks[index].kind == .audio else { return nil }
      return written.packets[index].first?.pts.map {
        Double($0) * written.timeBases[index].doubleValue
      }
    }
    return max(0, -(starts.min() ?? 0))
  }

  private func compare(
    _ before: Int64?, _ own: Rational, _ after: Int64?, _ other: Rational, _ unit: Double,
    _ packet: String
  ) throws(Finding) {
    guard let before, let after else { return }
    let times = (
      Double(before) * own.doubleValue + presentedDelay, Double(after) * other.doubleValue
    )
    guard abs(times.0 - times.1) <= unit else {
      throw Finding(
        "\(reader) reads \(packet) at \(times.1) s; it was written at \(times.0) s")
    }
  }
}
