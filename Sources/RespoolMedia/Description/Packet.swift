/// One packet of one track.
///
/// Times are on the presentation time line: 0 is the start of the movie, edit lists are applied, and
/// what lies before 0 is decoded and not shown.
public struct Packet: Sendable {
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Decoding can start here.
    public static let key = Flags(rawValue: 1)
    /// Needed to decode others, not shown itself.
    public static let discard = Flags(rawValue: 2)
    /// Drain and reset the decoder before this packet.
    public static let discontinuity = Flags(rawValue: 4)
    /// Known to be damaged.
    public static let corrupt = Flags(rawValue: 8)
    /// To a muxer whose option `segments` is set: all packets before are in the sink when `write` returns,
    /// and nothing of this one.
    public static let startsSegment = Flags(rawValue: 16)
    /// To a muxer that joins pieces: the first packet of the next of the track's pieces.
    ///
    /// Its times may lie before those of the packets before it, and it has no bytes where the piece has no media.
    /// The track's `edits` have an entry for each piece, in order: what of a piece lies outside of its edit is
    /// decoded and not shown.
    public static let startsPiece = Flags(rawValue: 32)
    /// To a muxer that writes references: the payload is a `MediaReference` instead of media.
    public static let isReference = Flags(rawValue: 64)
  }

  /// Where the bytes are.
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
  /// How long it lasts, 0 where not known.
  ///
  /// Of sound: all that the packet decodes to, with what is to be dropped.
  public var duration: Int64
  public var flags: Flags
  /// Sound: units of the time base to drop from the front of what the packet decodes to.
  public var trimStart: Int64 = 0
  /// Sound: units of the time base to drop from the end of what the packet decodes to.
  public var trimEnd: Int64 = 0
  public var payload: Payload
  /// How it is coded, of its track's `formats`: 0 as the track says.
  public var format = 0
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

  /// Bytes of the payload.
  public var size: Int {
    switch payload {
    case .bytes(let buffer): buffer.count
    case .range(_, let length): Int(length)
    }
  }

  /// The payload, or nil where it is a range of the source.
  public var buffer: MediaBuffer? {
    if case .bytes(let buffer) = payload { buffer } else { nil }
  }
}
