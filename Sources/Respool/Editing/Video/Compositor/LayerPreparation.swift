import RespoolMedia

/// A converter of frames of one format to the canvas's format and color, with 90° rotation and scaling.
final class LayerPreparation {
  struct Key: Hashable {
    /// Source format with its color completed.
    var source: VideoFormat
    var orientation: DisplayMatrix.Orientation
    var width: Int
    var height: Int
  }

  private let rotator: FrameRotator?
  private let converter: FrameConverter

  /// Creates a converter, or `nil` if the chroma location after the rotation cannot be expressed.
  init?(_ key: Key, _ target: CompositionTarget, pool: FramePool) throws(MediaError) {
    var videoFormat = key.source
    if key.orientation.isUpright {
      rotator = nil
    } else {
      let rotator = try FrameRotator(from: videoFormat, orientation: key.orientation, pool: pool)
      videoFormat = rotator.target
      if let layout = videoFormat.pixelFormat.layout,
        layout.log2ChromaWidth + layout.log2ChromaHeight > 0,
        videoFormat.color.chromaLocation == .unspecified
      {
        return nil
      }
      self.rotator = rotator
    }
    let hasAlpha = videoFormat.pixelFormat.layout?.hasAlpha ?? false
    converter = try FrameConverter(
      from: videoFormat,
      to: VideoFormat(
        pixelFormat: hasAlpha ? target.alphaFormat : target.opaqueFormat, width: key.width,
        height: key.height, color: target.color),
      filter: .bicubic, pool: pool)
  }

  func prepare(_ frame: Frame) throws(MediaError) -> Frame {
    try converter.convert(try rotator?.rotate(frame) ?? frame)
  }
}
