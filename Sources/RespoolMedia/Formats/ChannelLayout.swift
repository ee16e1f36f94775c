/// The loudspeakers of the channels of audio.
///
/// `mask` has a bit for each loudspeaker, as WAVE_FORMAT_EXTENSIBLE and FFmpeg number them; channels
/// follow in the order of their bits. A mask of 0 says only how many channels there are.
public struct ChannelLayout: Hashable, Sendable {
  public var channelCount: Int
  public var mask: UInt64

  public init(channelCount: Int, mask: UInt64 = 0) {
    self.channelCount = channelCount
    self.mask = mask.nonzeroBitCount == channelCount ? mask : 0
  }

  public init(mask: UInt64) { self.init(channelCount: mask.nonzeroBitCount, mask: mask) }

  /// Returns FFmpeg's default layout for `channelCount` channels; from 9 channels on, a layout with a mask of 0.
  public static func standard(_ channelCount: Int) -> ChannelLayout {
    layout(channelCount, [0, 0x4, 0x3, 0xB, 0x107, 0x37, 0x3F, 0x70F, 0x63F])
  }

  /// Returns the layout of FLAC's channels (RFC 9639 9.1.3), with FFmpeg's choice of back or side surround.
  public static func flac(_ channelCount: Int) -> ChannelLayout {
    layout(channelCount, [0, 0x4, 0x3, 0x7, 0x33, 0x607, 0x60F, 0x70F, 0x63F])
  }

  /// Returns the layout of Vorbis and Opus (Vorbis I specification 4.3.9).
  package static func vorbis(_ channelCount: Int) -> ChannelLayout {
    layout(channelCount, [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F])
  }

  private static func layout(_ channelCount: Int, _ masks: [UInt64]) -> ChannelLayout {
    masks.indices.contains(channelCount)
      ? ChannelLayout(mask: masks[channelCount]) : ChannelLayout(channelCount: channelCount)
  }

  /// The layout with the side pair moved to the back, if the layout has no back pair.
  package var withOnePairAtTheBack: ChannelLayout {
    let (side, back): (UInt64, UInt64) = (0x600, 0x30)
    guard mask & side == side, mask & back == 0 else { return self }
    return ChannelLayout(mask: mask & ~side | back)
  }

  /// The layout itself if its loudspeakers are known, else the standard layout for its number of channels.
  public var resolved: ChannelLayout { mask == 0 ? .standard(channelCount) : self }

  public static let mono = ChannelLayout(mask: 0x4)
  public static let stereo = ChannelLayout(mask: 0x3)

  private static let named: [(UInt64, String)] = [
    (0x4, "mono"), (0x3, "stereo"), (0xB, "2.1"), (0x7, "3.0"), (0x103, "3.0(back)"),
    (0x107, "4.0"), (0x33, "quad"), (0x603, "quad(side)"), (0xF, "3.1"), (0x37, "5.0"),
    (0x607, "5.0(side)"), (0x10F, "4.1"), (0x3F, "5.1"), (0x60F, "5.1(side)"),
    (0x707, "6.0"), (0x6C3, "6.0(front)"), (0x137, "hexagonal"), (0x13F, "6.1(back)"),
    (0x70F, "6.1"), (0x6CB, "6.1(front)"), (0x637, "7.0"), (0x6C7, "7.0(front)"),
    (0x63F, "7.1"), (0xFF, "7.1(wide)"), (0x6CF, "7.1(wide-side)"), (0x737, "octagonal"),
    (0x60000000, "downmix"),
  ]

  /// FFmpeg's names of the loudspeakers in the order of their bits; those of higher bits are rare.
  private static let speakers = [
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR",
    "TBL", "TBC", "TBR",
  ]

  /// Names of the loudspeakers of the layout.
  ///
  /// `nil` if one of them has no name.
  private var speakers: [String]? {
    guard mask != 0, mask >> UInt64(Self.speakers.count) == 0 else { return nil }
    return Self.speakers.enumerated().filter { mask >> UInt64($0.offset) & 1 == 1 }.map(\.element)
  }
}

extension ChannelLayout: CustomStringConvertible {
  /// FFmpeg's name for the layout, such as `5.1` or `2 channels (FL+LFE)`, or the number of channels.
  public var description: String {
    if let name = Self.named.first(where: { $0.0 == mask })?.1 { return name }
    let channels = channelCount.counting("channel")
    return speakers.map { "\(channels) (\($0.joined(separator: "+")))" } ?? channels
  }

  /// Creates the layout that FFmpeg calls `name`; `nil` for other names.
  public init?(name: String) {
    if let mask = Self.named.first(where: { $0.1 == name })?.0 {
      self.init(mask: mask)
      return
    }
    let parts = name.split(separator: "(")
    guard parts.count == 2, parts[0].hasSuffix(" channels "), parts[1].hasSuffix(")") else {
      return nil
    }
    let places = parts[1].dropLast().split(separator: "+").map { name in
      Self.speakers.firstIndex { $0 == name }
    }
    let mask = places.compactMap { $0 }.reduce(0 as UInt64) { $0 | 1 << UInt64($1) }
    guard mask != 0, mask.nonzeroBitCount == places.count else { return nil }
    self.init(mask: mask)
  }
}
