import RespoolPlugin

/// The chained streams of an Ogg file as one track.
///
/// Each stream is read as a file of its own, because libavformat counts the times of all in units of the first
/// and does not trim the end of the others.
final class ChainedStreams {
  private struct Part {
    var range: Range<Int64>
    /// Time at which the stream starts.
    var start: Int64
    /// Number of its sample description.
    var description: Int
    /// Damage after its last packet.
    ///
    /// Thrown once.
    var damage: MediaError?
  }

  private let source: ByteSource
  private let settings: DemuxerSettings
  private var parts: [Part] = []
  private var current = 0
  private var demuxer: AVFormatDemuxer?
  /// `true` if the next packet is the first one of a stream or after a seek.
  private var isFirst = false
  /// The audio track.
  private(set) var track: TrackDescription
  /// Reason why the last stream ends early.
  ///
  /// `nil` if it does not.
  private(set) var earlyEnd: String?

  /// Maximum number of streams that are opened to learn their exact durations.
  private static let mostOpened = 256

  /// Damage before the first stream.
  ///
  /// Thrown once.
  private var damage: MediaError?

  /// Opens streams to describe them; `first` describes the first one.
  init(
    _ chain: OggChain, of first: TrackDescription, in source: ByteSource,
    _ settings: DemuxerSettings
  ) throws(MediaError) {
    (self.source, self.settings) = (source, settings)
    track = first
    damage = chain.unreadable.map {
      MediaError(
        .malformed, "the streams up to byte \($0.upperBound) cannot be read", track: 0,
        offset: $0.lowerBound)
    }
    var durations: [(length: Int64, unit: Rational)] = []
    var kinds: [[UInt8]] = []
    for (index, link) in chain.links.enumerated() {
      let kind = Self.kind(of: link)
      let number = kinds.firstIndex(of: kind)
      var opened: MediaDescription?
      let isLast = index + 1 == chain.links.count
      if number == nil || isLast || index < Self.mostOpened {
        do throws(MediaError) {
          opened = try demuxer(of: link.range).media
        } catch {
          if [.io, .cancelled].contains(error.code) { throw error }
          note("a stream cannot be read: \(error.message)", at: link.range.lowerBound)
          continue
        }
      }
      let described = opened?.tracks.first
      if number == nil {
        kinds.append(kind)
        if var described, kinds.count > 1 {
          described.metadata = []
          track.furtherSampleDescriptions.append(described)
        }
      }
      let last = number ?? kinds.count - 1
      let format = track.sampleDescriptions[last]
      let unit = Rational(1, Int32(clamping: max(1, format.sampleRate)))
      let length = described?.duration.map { described?.timeBase.convert($0, to: unit) ?? 0 }
      durations.append((max(0, length ?? link.end), unit))
      parts.append(Part(range: link.range, start: 0, description: last))
      if let opened, opened.endsEarly {
        let reason = opened.warning ?? "its last page is missing"
        if isLast, chain.headless == nil {
          earlyEnd = reason
        } else {
          note("a stream ends early: \(reason)", at: link.range.upperBound)
        }
      }
      if chain.headless == link.range.upperBound {
        note("a stream has no first page and is left out", at: link.range.upperBound)
      }
    }
    if parts.count > 1, kinds.count == 1, track.codec == "flac" {
      // The last frame of a stream may be shorter. Frames whose headers number them by count must have one length,
      // except the last one of all (RFC 9639 9.1.5), so the streams cannot be copied into one.
      var other = first
      other.metadata = []
      track.furtherSampleDescriptions.append(other)
    }
    track.timeBase = Self.commonBase(durations.map(\.unit)) ?? first.timeBase
    var start: Int64 = 0
    for (index, duration) in durations.enumerated() {
      parts[index].start = start
      start = start.addingClamped(duration.unit.convert(duration.length, to: track.timeBase))
    }
    track.start = 0
    track.duration = start
    for index in track.furtherSampleDescriptions.indices {
      track.furtherSampleDescriptions[index].timeBase = track.timeBase
      track.furtherSampleDescriptions[index].duration = start
    }
  }

  /// Adds damage after the stream that was added last.
  private func note(_ message: String, at offset: Int64) {
    guard let last = parts.indices.last, parts[last].damage == nil else { return }
    parts[last].damage = MediaError(.malformed, message, track: 0, offset: offset)
  }

  /// Returns the part of the headers that other streams of the same kind share.
  private static func kind(of link: OggChain.Link) -> [UInt8] {
    guard link.headers.count == 1 else { return link.headers.reduce([], +) }
    // Rate, channels and bits in STREAMINFO, without the length and the MD5 (RFC 9639 8.2).
    let info = link.headers[0].dropFirst(17)
    return Array(info.dropFirst(10).prefix(3)) + info.dropFirst(13).prefix(1).map { $0 & 0xF0 }
  }

  /// Returns a time base in which samples at all rates have whole numbers.
  private static func commonBase(_ units: [Rational]) -> Rational? {
    var common: Int64 = 1
    for unit in units {
      let rate = Int64(unit.denominator)
      common = common / common.greatestCommonDivisor(rate) * rate
      guard common <= Int64(Int32.max) else { return nil }
    }
    return Rational(1, Int32(common))
  }

  /// Returns the next packet of the audio, or of a cover of the first stream.
  func read() throws(MediaError) -> Packet? {
    if let damage {
      self.damage = nil
      throw damage
    }
    while parts.indices.contains(current) {
      let part = parts[current]
      do throws(MediaError) {
        let demuxer = if let demuxer { demuxer } else { try open(part) }
        while let packet = try demuxer.read() {
          guard packet.track == 0 else {
            if current == 0 { return packet }
            continue
          }
          return placed(packet, of: demuxer.media.tracks[0], in: part)
        }
      } catch {
        var error = error
        error.offset = error.offset.map { $0.addingClamped(part.range.lowerBound) }
        throw error
      }
      defer {
        current += 1
        demuxer = nil
      }
      if let damage = part.damage {
        parts[current].damage = nil
        throw damage
      }
    }
    return nil
  }

  private func demuxer(of range: Range<Int64>) throws(MediaError) -> AVFormatDemuxer {
    try AVFormatDemuxer(source: source.part(range), settings: settings, isPart: true)
  }

  private func open(_ part: Part) throws(MediaError) -> AVFormatDemuxer {
    do throws(MediaError) {
      let opened = try demuxer(of: part.range)
      (demuxer, isFirst) = (opened, current > 0)
      return opened
    } catch {
      // The next call reads on after it.
      current += 1
      throw error
    }
  }

  private func placed(_ packet: Packet, of stream: TrackDescription, in part: Part) -> Packet {
    func length(_ time: Int64) -> Int64 { stream.timeBase.convert(time, to: track.timeBase) }
    func time(_ time: Int64) -> Int64 {
      length(time.subtractingClamped(stream.start ?? 0)).addingClamped(part.start)
    }
    var packet = packet
    packet.pts = packet.pts.map(time)
    packet.dts = packet.dts.map(time)
    packet.duration = length(packet.duration)
    packet.trimStart = length(packet.trimStart)
    packet.trimEnd = length(packet.trimEnd)
    packet.sampleDescriptionIndex = part.description
    if isFirst { packet.flags.insert(.discontinuity) }
    isFirst = false
    return packet
  }

  func seek(to time: Int64) throws(MediaError) {
    let found = parts.lastIndex { $0.start <= time } ?? 0
    if found != current { demuxer = nil }
    current = found
    guard parts.indices.contains(found) else { return }
    let opened = if let demuxer { demuxer } else { try open(parts[found]) }
    let stream = opened.media.tracks[0]
    let local = track.timeBase.convert(
      time.subtractingClamped(parts[found].start), to: stream.timeBase, rounding: .down)
    if local > 0 || !isFirst {
      try opened.seek(track: 0, to: local.addingClamped(stream.start ?? 0))
    }
    isFirst = true
  }
}

extension MediaDescription {
  /// Describes the chained streams in place of the first one.
  mutating func describe(_ streams: ChainedStreams, of chain: OggChain) {
    tracks[0] = streams.track
    duration = streams.track.duration.map { streams.track.timeBase.convert($0, to: .nanoseconds) }
    (warning, endsEarly) = (streams.earlyEnd, streams.earlyEnd != nil)
    if chain.hasOtherTags {
      sideData.append(SideData(unwrittenElements: ["tags of the streams after the first one"]))
    }
  }
}
