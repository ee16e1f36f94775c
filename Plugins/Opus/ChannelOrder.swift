import RespoolPlugin

/// The mapping between the channel order of a stream and that of a frame.
///
/// Streams of mapping family 1 use Vorbis order (RFC 7845 5.1.1.2). Frames use the order of the channel
/// mask's bits.
enum ChannelOrder {
  /// Channel layouts for 1 to 8 channels.
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, ChannelLayout(mask: 0x7), ChannelLayout(mask: 0x33), ChannelLayout(mask: 0x37),
    ChannelLayout(mask: 0x3F), ChannelLayout(mask: 0x70F), ChannelLayout(mask: 0x63F),
  ]

  /// Position in the frame of each channel of the stream, for 1 to 8 channels.
  private static let places: [[Int]] = [
    [0], [0, 1],
    [0, 2, 1],  // left, center, right
    [0, 1, 2, 3],  // front left and right, rear left and right
    [0, 2, 1, 3, 4],  // left, center, right, rear left and right
    [0, 2, 1, 4, 5, 3],  // left, center, right, rear left and right, LFE
    [0, 2, 1, 5, 6, 4, 3],  // left, center, right, side left and right, rear, LFE
    [0, 2, 1, 6, 7, 4, 5, 3],  // left, center, right, side and rear left and right, LFE
  ]

  /// Returns the position in the frame of each channel of a stream.
  ///
  /// `nil` unless it has 1 to 8 channels.
  static func places(_ count: Int) -> [Int]? {
    places.indices.contains(count - 1) ? places[count - 1] : nil
  }

  /// Returns `true` if the layout belongs to family 1.
  ///
  /// Surround channels may be side or back channels, and a layout without a mask is accepted.
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
