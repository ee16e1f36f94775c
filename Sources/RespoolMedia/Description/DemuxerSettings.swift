/// Times of packets that differ from those that FFmpeg reports.
///
/// A demuxer declares the ones that it supports in its flags.
public struct PacketTiming: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Audio ends at the exact sample that the file states.
  public static let exactEnd = PacketTiming(rawValue: 1)
  /// Time 0 is the first audible audio sample, after the encoder delay.
  public static let shownStart = PacketTiming(rawValue: 2)
  /// Every packet has a presentation time, even if the container stores none, as AVI.
  public static let shownTimes = PacketTiming(rawValue: 4)
}

/// Settings with which a demuxer is opened.
public struct DemuxerSettings: Sendable {
  /// Times that the packets must have; only those that the demuxer declares.
  public var timing: PacketTiming
  /// Options, checked against the demuxer's schema.
  public var options: [PluginOption]

  public init(timing: PacketTiming = [], options: [PluginOption] = []) {
    self.timing = timing
    self.options = options
  }

  /// The last value given for an option; `nil` if it is not given.
  public subscript(option name: String) -> String? {
    options.last { $0.name == name }?.value
  }
}

extension FactoryDescription {
  /// Times of packets that a demuxer supports.
  public var packetTiming: PacketTiming {
    var timing: PacketTiming = []
    if flags.contains(.exactEnd) { timing.insert(.exactEnd) }
    if flags.contains(.shownStart) { timing.insert(.shownStart) }
    if flags.contains(.shownTimes) { timing.insert(.shownTimes) }
    return timing
  }
}
