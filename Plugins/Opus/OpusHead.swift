import RespoolPlugin

/// The identification header (RFC 7845 5.1), which is the extradata of an Opus track.
struct OpusHead: Hashable {
  var channelCount: Int
  /// Number of samples at 48 kHz to drop from the start.
  var preSkip: Int
  /// Sample rate of the original input.
  ///
  /// Informative only.
  var inputSampleRate: UInt32
  /// Output gain in 1/256 dB.
  var outputGain: Int16 = 0
  var mappingFamily: UInt8
  var streamCount: Int
  var coupledCount: Int
  /// Decoded channel for each output channel.
  ///
  /// 255 is silence.
  var mapping: [UInt8]

  private static let signature = Array("OpusHead".utf8)

  var bytes: [UInt8] {
    var bytes = Self.signature + [1, UInt8(truncatingIfNeeded: channelCount)]
    bytes += little(UInt16(clamping: preSkip)) + little(inputSampleRate)
    bytes += little(UInt16(bitPattern: outputGain)) + [mappingFamily]
    if mappingFamily != 0 {
      bytes += [UInt8(clamping: streamCount), UInt8(clamping: coupledCount)] + mapping
    }
    return bytes
  }

  private func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
  }
}

extension OpusHead {
  init(parsing bytes: [UInt8]) throws(MediaError) {
    var reader = ByteReader(bytes)
    guard bytes.count >= 19, try reader.take(8).elementsEqual(Self.signature) else {
      throw MediaError(
        .malformed, "the header does not start with OpusHead or has fewer than 19 bytes",
        path: "OpusHead")
    }
    let version = try reader.u8()
    // A change of the upper four bits means an incompatible version.
    guard version & 0xF0 == 0 else {
      throw MediaError(.unsupported, "the header has version \(version)", path: "OpusHead")
    }
    channelCount = Int(try reader.u8())
    preSkip = Int(try reader.little(UInt16.self))
    inputSampleRate = try reader.little()
    outputGain = try reader.little()
    mappingFamily = try reader.u8()
    guard channelCount > 0 else {
      throw MediaError(.malformed, "the header has no channels", path: "OpusHead")
    }
    if mappingFamily == 0 {
      guard channelCount <= 2 else {
        throw MediaError(
          .malformed, "mapping family 0 has \(channelCount) channels instead of 1 or 2",
          path: "OpusHead")
      }
      streamCount = 1
      coupledCount = channelCount - 1
      mapping = [UInt8](0..<UInt8(channelCount))
      return
    }
    guard mappingFamily != 3 else {
      throw MediaError(
        .unsupported, "mapping family 3 (ambisonics with a matrix) is not supported",
        path: "OpusHead")
    }
    guard mappingFamily != 1 || channelCount <= 8 else {
      throw MediaError(
        .malformed, "mapping family 1 has \(channelCount) channels instead of 1 to 8",
        path: "OpusHead")
    }
    streamCount = Int(try reader.u8())
    coupledCount = Int(try reader.u8())
    mapping = Array(try reader.take(channelCount))
    let decoded = streamCount + coupledCount
    guard streamCount > 0, coupledCount <= streamCount, decoded <= 255 else {
      throw MediaError(
        .malformed,
        "the header has \(streamCount) streams, \(coupledCount) of them coupled, which is invalid",
        path: "OpusHead")
    }
    if let wrong = mapping.first(where: { $0 != 255 && Int($0) >= decoded }) {
      throw MediaError(
        .malformed, "a channel is mapped to \(wrong); there are \(decoded) decoded channels",
        path: "OpusHead")
    }
  }

  /// Creates the header for a track that has none: one stream of one or two channels (RFC 7845 5.1.1.1).
  init(channelCount: Int) {
    self.init(
      channelCount: channelCount, preSkip: 0, inputSampleRate: 48000, mappingFamily: 0,
      streamCount: 1, coupledCount: channelCount - 1, mapping: [UInt8](0..<UInt8(channelCount)))
  }
}
