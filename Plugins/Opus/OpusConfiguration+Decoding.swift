import RespoolPlugin

extension OpusConfiguration {
  /// Number of streams with two channels, which come first.
  var coupledCount: Int { mapping.map { Int($0.coupledCount) } ?? Int(channelCount) - 1 }

  /// Decoded channel for each output channel; 255 is silence.
  var channelMapping: [UInt8] { mapping?.table ?? Array(0..<channelCount) }

  /// Parses the header of a track; throws if libopus cannot decode its mapping of channels.
  init(decoding bytes: [UInt8]) throws(MediaError) {
    try self.init(head: bytes)
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
    let decoded = streamCount + coupledCount
    if let wrong = channelMapping.first(where: { $0 != 255 && Int($0) >= decoded }) {
      throw MediaError(
        .malformed, "a channel is mapped to \(wrong); there are \(decoded) decoded channels",
        path: "OpusHead")
    }
  }
}
