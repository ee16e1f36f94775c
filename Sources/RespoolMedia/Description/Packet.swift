/// One packet of one track.
///
/// Times are on the presentation timeline: 0 is the start of the movie, and edit lists are applied. Media before 0
/// is decoded but not shown.
public struct Packet: Sendable {
  /// Properties of a packet, such as whether decoding can start with it.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Decoding can start here.
    public static let key = Flags(rawValue: 1)
    /// The packet is needed to decode others, but is not shown itself.
    public static let discard = Flags(rawValue: 2)
    /// Drain and reset the decoder before this packet.
    public static let discontinuity = Flags(rawValue: 4)
    /// The packet is known to be damaged.
    public static let corrupt = Flags(rawValue: 8)
    /// For a muxer with the option `segments`: the packet starts a segment.
    ///
    /// When `write` returns, the sink has all packets before this one and nothing of this one.
    public static let startsSegment = Flags(rawValue: 16)
    /// For a muxer with the flag `joinsPieces`: the packet is the first of the track's next clip.
    ///
    /// Its times may be before those of the preceding packets. It has no bytes if the clip has no media. The track's
    /// `edits` have one entry for each clip, in order. Media of a clip outside its edit is decoded but not shown.
    public static let startsPiece = Flags(rawValue: 32)
    /// For a muxer with the flag `writesReferences`: the payload is a `MediaReference` instead of media.
    public static let isReference = Flags(rawValue: 64)
  }

  /// The bytes of the packet, or their place in the source.
  public enum Payload: Sendable {
    case bytes(MediaBuffer)
    /// A range of the source; the host reads or copies it when it needs it.
    case range(offset: Int64, length: Int64)
  }

  /// Index of the track, from 0.
  public var track: Int
  /// Presentation time, in the time base of the track.
  public var pts: Int64?
  /// Decoding time, in the time base of the track.
  public var dts: Int64?
  /// Duration in the time base of the track.
  ///
  /// 0 if unknown.
  ///
  /// Audio: the duration of the whole decoded packet, including `trimStart` and `trimEnd`.
  public var duration: Int64
  public var flags: Flags
  /// Audio: duration to drop from the start of the decoded packet, in units of the time base.
  public var trimStart: Int64 = 0
  /// Audio: duration to drop from the end of the decoded packet, in units of the time base.
  ///
  /// With `trimStart`, at most `duration` if that is known.
  public var trimEnd: Int64 = 0
  public var payload: Payload
  /// Index of the sample description among the track's `sampleDescriptions`.
  ///
  /// 0 is the track's own.
  public var sampleDescriptionIndex = 0
  /// Data that the container stores beside the payload, such as HDR10+ metadata.
  public var records: [SideData] = []
  /// Matroska's BlockAdditional with BlockAddID 1, such as the alpha plane of VP8 and VP9.
  public var sideData: [UInt8] = []

  public init(
    track: Int, pts: Int64?, dts: Int64?, duration: Int64 = 0, flags: Flags = [], payload: Payload
  ) {
    self.track = track
    self.pts = pts
    self.dts = dts
    self.duration = duration
    self.flags = flags
    self.payload = payload
  }

  /// Size of the payload in bytes.
  public var size: Int {
    switch payload {
    case .bytes(let buffer): buffer.count
    case .range(_, let length): Int(length)
    }
  }

  /// The payload; `nil` if it is a range of the source.
  public var buffer: MediaBuffer? {
    if case .bytes(let buffer) = payload { buffer } else { nil }
  }
}
