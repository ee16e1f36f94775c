import RespoolPlugin

/// One logical Opus stream and the position of its packets on the presentation time line.
///
/// Granule positions count samples at 48 kHz, including the pre-skip (RFC 7845 4).
struct OpusLink {
  let configuration: OpusConfiguration
  let assembler: OggPacketAssembler
  /// Presentation time of the first shown sample.
  let startTime: Int64
  /// `true` after the page that ends the stream.
  var isEnded = false
  /// Number of the sample description.
  var description = 0
  /// Number of header packets that have not been read yet.
  var headersLeft = 1
  /// Granule position of the first sample.
  ///
  /// `nil` until a page defines it.
  var firstGranule: Int64?
  /// Granule position at which the next packet starts.
  ///
  /// `nil` if only a page can define it.
  var position: Int64?
  /// `true` if the decoder must be reset before the next packet.
  var isDiscontinuous: Bool

  init(_ configuration: OpusConfiguration, serial: UInt32, startTime: Int64, isDiscontinuous: Bool)
  {
    self.configuration = configuration
    self.startTime = startTime
    self.isDiscontinuous = isDiscontinuous
    assembler = OggPacketAssembler(serial: serial)
  }

  /// `true` if packets of both streams are decoded in the same way.
  func decodes(like other: OpusConfiguration) -> Bool {
    configuration.channelCount == other.channelCount && configuration.mapping == other.mapping
      && configuration.outputGain == other.outputGain
  }

  var preSkip: Int64 { Int64(configuration.preSkip) }

  /// Returns the presentation time of a granule position.
  func time(_ granule: Int64) -> Int64 {
    granule.subtractingClamped(firstGranule ?? 0).subtractingClamped(preSkip).addingClamped(
      startTime)
  }

  /// Returns the granule position of a presentation time.
  func granule(_ time: Int64) -> Int64 {
    time.subtractingClamped(startTime).addingClamped(preSkip).addingClamped(firstGranule ?? 0)
  }

  /// End of the shown audio that was read so far.
  var end: Int64 { position.map { max(startTime, time($0)) } ?? startTime }

  /// Returns the packets that end on `page`, with their times.
  mutating func packets(
    from buffers: [MediaBuffer], of page: OggPage, hasHole: Bool
  ) -> [Packet] {
    // Packets that violate RFC 6716 have no duration, and no decoder accepts them.
    let timed = buffers.compactMap { buffer in
      OpusPacket.duration(of: buffer.readOnly.prefix(2)).map { (buffer, Int64($0)) }
    }
    guard !timed.isEmpty else { return [] }
    let sum = timed.reduce(0) { $0 + $1.1 }
    let granule = page.granule
    // Granule position of the next packet.
    var next = position ?? 0
    // -1 states nothing. Other numbers below 0, and a first page that ends before the length of its audio, violate RFC
    // 7845 4.5. FFmpeg writes them if a part is cut out and begins with audio before its start.
    if granule != -1 {
      if position == nil {
        // RFC 7845 4.3 and 4.5: the first page defines the start of the audio. If it is also the last page,
        // it defines the end.
        next = page.isLast ? 0 : granule.subtractingClamped(sum)
      } else if granule.subtractingClamped(next) > sum,
        hasHole || granule.subtractingClamped(next).subtractingClamped(sum) >= 120
      {
        // Packets between are missing: they were lost or never existed.
        next = granule.subtractingClamped(sum)
        isDiscontinuous = true
      }
    }
    if firstGranule == nil { firstGranule = next }
    var trimEnd: Int64 = 0
    let end = next.addingClamped(sum)
    if page.isLast, granule != -1, granule < end { trimEnd = end.subtractingClamped(granule) }
    var packets: [Packet] = []
    for (buffer, duration) in timed {
      packets.append(packet(buffer, granule: next, duration: duration))
      next = next.addingClamped(duration)
    }
    position = next.subtractingClamped(trimEnd)
    // RFC 7845 4.4: more than the last packet may be trimmed.
    for index in packets.indices.reversed() where trimEnd > 0 {
      let part = min(trimEnd, packets[index].duration)
      if part == packets[index].duration {
        packets[index].flags.insert(.discard)
      } else {
        packets[index].trimEnd = part
      }
      trimEnd -= part
    }
    return packets
  }

  private mutating func packet(_ buffer: MediaBuffer, granule: Int64, duration: Int64) -> Packet {
    let time = time(granule)
    var packet = Packet(
      track: 0, pts: time, dts: time, duration: duration, flags: .key, payload: .bytes(buffer))
    packet.sampleDescriptionIndex = description
    if time < startTime {
      if time + duration <= startTime {
        packet.flags.insert(.discard)
      } else {
        packet.trimStart = startTime - time
      }
    }
    if isDiscontinuous {
      packet.flags.insert(.discontinuity)
      isDiscontinuous = false
    }
    return packet
  }
}
