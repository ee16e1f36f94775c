/// The light level of HDR content: the body of a box `clli` (ISO/IEC 14496-12 12.1.6; CTA-861.3).
public struct ContentLightLevel: Hashable, Sendable {
  /// MaxCLL: light level of the brightest pixel, in cd/m2; 0: unknown.
  public var maximum: UInt16
  /// MaxFALL: greatest average light level of a frame, in cd/m2; 0: unknown.
  public var maximumAverage: UInt16

  public init(maximum: UInt16, maximumAverage: UInt16) {
    self.maximum = maximum
    self.maximumAverage = maximumAverage
  }

  /// Parses the body of `clli`; `nil` if it is shorter than 4 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= 4 else { return nil }
    let head = Array(bytes.prefix(4)).map(UInt16.init)
    self.init(maximum: head[0] << 8 | head[1], maximumAverage: head[2] << 8 | head[3])
  }

  /// The body of `clli`.
  public var bytes: [UInt8] { maximum.bigEndianBytes + maximumAverage.bigEndianBytes }
}
