import CAVFormat
import RespoolPlugin

/// Finds damage that libavformat passes over without a word: it goes on with the next packet that looks whole.
protocol DamageCheck {
  /// Returns a sentence about what is wrong between the packet before and the end of this one; `nil`: nothing.
  ///
  /// Throws `io` and `cancelled`.
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String?

  /// Returns a sentence about what is wrong behind the last packet; `nil`: nothing.
  mutating func problemAtEnd() throws(MediaError) -> String?

  /// Forgets the packet before: the next one does not follow it.
  mutating func reset()
}

extension DamageCheck {
  mutating func problemAtEnd() throws(MediaError) -> String? { nil }
}

/// A check that goes over the file itself, as far as packets have been read.
protocol OffsetDamageCheck: DamageCheck {
  /// Returns a sentence about what is wrong between the last offset and this one; `nil`: nothing.
  mutating func problem(before end: Int64) throws(MediaError) -> String?
}

extension OffsetDamageCheck {
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    try problem(before: packet.pointee.pos)
  }

  mutating func problemAtEnd() throws(MediaError) -> String? { try problem(before: .max) }
}

/// The checks of a file, whose format decides which there are.
struct DamageChecks {
  private var checks: [any DamageCheck] = []
  /// `true` if the packet that comes next has been checked.
  private var isChecked = false

  init(_ context: FormatContext, source: ByteSource) throws(MediaError) {
    guard source.isSeekable else { return }
    switch context.name {
    case "mpegts":
      if let check = try TransportCheck(source, context) { checks.append(check) }
    case "avi": checks.append(AVICheck(source))
    case "ogg": checks.append(OggCheck(source))
    case "flv": checks.append(try FlashVideoCheck(source))
    case "wv": checks.append(WavPackCheck())
    case "tta": checks.append(TTACheck())
    case "mp3", "aac", "ac3", "eac3":
      if let check = try FrameChainCheck(source, context.name) { checks.append(check) }
    default: break
    }
    let streams = (0..<context.streamCount).compactMap { context.stream($0)?.pointee }
    for stream in streams where stream.codecpar?.pointee.codec_id == AV_CODEC_ID_FLAC {
      if let check = FLACCheck(stream, isChained: context.isOgg) { checks.append(check) }
    }
  }

  /// Returns the damage that a packet lies behind or has; asked again for the same packet, `nil`.
  mutating func damage(at packet: UnsafePointer<AVPacket>) throws(MediaError) -> MediaError? {
    if isChecked {
      isChecked = false
      return nil
    }
    var first: String?
    for index in checks.indices {
      let problem = try checks[index].problem(in: packet)
      first = first ?? problem
    }
    isChecked = first != nil
    return first.map { error($0, at: packet.pointee.pos) }
  }

  /// Returns the damage behind the last packet; asked again, `nil`.
  mutating func damageAtEnd() throws(MediaError) -> MediaError? {
    var first: String?
    for index in checks.indices {
      let problem = try checks[index].problemAtEnd()
      first = first ?? problem
    }
    checks = []
    return first.map { error($0, at: -1) }
  }

  mutating func reset() {
    isChecked = false
    for index in checks.indices { checks[index].reset() }
  }

  private func error(_ words: String, at offset: Int64) -> MediaError {
    MediaError(.malformed, words, offset: offset >= 0 ? offset : nil)
  }
}
