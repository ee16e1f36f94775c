import RespoolPlugin

/// How the channels of mapping family 1, which are in Vorbis order (RFC 7845 5.1.1.2), lie among those
/// of a frame, which are in the order of their loudspeakers' bits.
enum ChannelOrder {
  /// For 1 to 8 channels: the loudspeakers.
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, ChannelLayout(mask: 0x7), ChannelLayout(mask: 0x33), ChannelLayout(mask: 0x37),
    ChannelLayout(mask: 0x3F), ChannelLayout(mask: 0x70F), ChannelLayout(mask: 0x63F),
  ]

  /// For 1 to 8 channels: the place in the frame of each channel of the stream.
  private static let places: [[Int]] = [
    [0], [0, 1],
    [0, 2, 1],  // left, centre, right
    [0, 1, 2, 3],  // front left and right, rear left and right
    [0, 2, 1, 3, 4],  // left, centre, right, rear left and right
    [0, 2, 1, 4, 5, 3],  // left, centre, right, rear left and right, LFE
    [0, 2, 1, 5, 6, 4, 3],  // left, centre, right, side left and right, rear, LFE
    [0, 2, 1, 6, 7, 4, 5, 3],  // left, centre, right, side and rear left and right, LFE
  ]

  /// The place in the frame of each channel of a stream of 1 to 8.
  static func places(_ count: Int) -> [Int]? {
    places.indices.contains(count - 1) ? places[count - 1] : nil
  }

  /// Whether the loudspeakers are those of family 1; surround may be at the side or behind, and a
  /// layout that is not known is taken at its word.
  static func isVorbis(_ layout: ChannelLayout) -> Bool {
    guard layouts.indices.contains(layout.channelCount - 1) else { return false }
    guard layout.mask != 0 else { return true }
    let wanted = layouts[layout.channelCount - 1].mask
    if layout.mask == wanted { return true }
    let (back, side): (UInt64, UInt64) = (0x30, 0x600)
    return layout.mask & (back | side) == side && layout.channelCount <= 6
      && layout.mask & ~side | back == wanted
  }
}
