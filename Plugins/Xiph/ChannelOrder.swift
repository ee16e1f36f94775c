package import RespoolMedia

/// The mapping between the channel order of a stream and that of a frame.
///
/// Streams of Vorbis and of Opus with mapping family 1 use Vorbis order (Vorbis I 4.3.9, RFC 7845 5.1.1.2). Frames use the
/// order of the channel mask's bits.
package enum ChannelOrder {
  /// Channel layouts for 1 to 8 channels.
  package static let layouts = (1...8).map { ChannelLayout.vorbis($0) }

  private static let frameChannels: [[Int]] = [
    [0], [0, 1],
    [0, 2, 1],  // left, center, right
    [0, 1, 2, 3],  // front left and right, rear left and right
    [0, 2, 1, 3, 4],  // left, center, right, rear left and right
    [0, 2, 1, 4, 5, 3],  // left, center, right, rear left and right, LFE
    [0, 2, 1, 5, 6, 4, 3],  // left, center, right, side left and right, rear, LFE
    [0, 2, 1, 6, 7, 4, 5, 3],  // left, center, right, side and rear left and right, LFE
  ]

  /// Returns the index in the frame of each channel of a stream.
  ///
  /// `nil` unless it has 1 to 8 channels.
  package static func frameChannels(_ count: Int) -> [Int]? {
    frameChannels.indices.contains(count - 1) ? frameChannels[count - 1] : nil
  }

  /// Returns `true` if the layout belongs to family 1.
  ///
  /// Surround channels may be side or back channels, and a layout without a mask is accepted.
  package static func isVorbis(_ layout: ChannelLayout) -> Bool {
    guard layouts.indices.contains(layout.channelCount - 1) else { return false }
    guard layout.mask != 0 else { return true }
    let expected = layouts[layout.channelCount - 1].mask
    if layout.mask == expected { return true }
    return layout.channelCount <= 6 && layout.withOnePairAtTheBack.mask == expected
  }
}
