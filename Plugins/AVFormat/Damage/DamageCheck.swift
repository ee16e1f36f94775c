import CAVFormat
import RespoolPlugin

/// A check for damage that libavformat skips silently: it continues with the next packet that looks intact.
protocol DamageCheck {
  /// Returns a sentence about damage between the previous packet and the end of this one.
  ///
  /// `nil` if there is none.
  ///
  /// Throws `io` and `cancelled`.
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String?

  /// Returns a sentence about damage after the last packet.
  ///
  /// `nil` if there is none.
  mutating func problemAtEnd() throws(MediaError) -> String?

  /// Forgets the previous packet: the next one does not follow it.
  mutating func reset()
}

extension DamageCheck {
  mutating func problemAtEnd() throws(MediaError) -> String? { nil }
}

/// A damage check that scans the file itself up to the packets that have been read.
protocol OffsetDamageCheck: DamageCheck {
  /// Returns a sentence about damage between the previous offset and this one.
  ///
  /// `nil` if there is none.
  mutating func problem(before end: Int64) throws(MediaError) -> String?
}

extension OffsetDamageCheck {
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    try problem(before: packet.pointee.pos)
  }

  mutating func problemAtEnd() throws(MediaError) -> String? { try problem(before: .max) }
}

/// The damage checks for a file, selected by its format.
struct DamageChecks {
  private var checks: [any DamageCheck] = []
  /// `true` if the next packet has been checked already.
  private var isChecked = false

  /// Selects the checks.
  ///
  /// If `isStrict` is `true`, bytes after the last audio frame count as damage.
  init(_ context: FormatContext, source: ByteSource, isStrict: Bool) throws(MediaError) {
    guard source.isSeekable else { return }
    switch context.name {
    case "mpegts":
      if let check = try TransportCheck(source, context) { checks.append(check) }
    case "avi": checks.append(AVICheck(source))
    case "ogg": checks.append(OggCheck(source))
    case "flv": checks.append(try FlashVideoCheck(source))
    case "gif": checks.append(try GIFCheck(source))
    case "wv": checks.append(WavPackCheck())
    case "tta": checks.append(TTACheck())
    case "mp3", "aac", "ac3", "eac3":
      if let check = try FrameChainCheck(source, context.name, checksEnd: isStrict) {
        checks.append(check)
      }
    default: break
    }
    let streams = (0..<context.streamCount).compactMap { context.stream($0)?.pointee }
    for stream in streams where stream.codecpar?.pointee.codec_id == AV_CODEC_ID_FLAC {
      if let check = FLACCheck(stream, isChained: context.isOgg) { checks.append(check) }
    }
  }

  /// Returns the damage before or in a packet.
  ///
  /// `nil` if called again for the same packet.
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

  /// Returns the damage after the last packet.
  ///
  /// `nil` if called again.
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
