import RespoolMedia

/// Brings pictures of one shape into the canvas's format and colour, turned by quarters and scaled.
final class LayerPreparation {
  struct Key: Hashable {
    /// With its colour completed.
    var source: PictureShape
    var orientation: DisplayMatrix.Orientation
    var width: Int
    var height: Int
  }

  private let rotator: PictureRotator?
  private let converter: PictureConverter

  /// Nil where the place of chroma could not be told after the turn.
  init?(_ key: Key, _ target: CompositionTarget, pool: FramePool) throws(MediaError) {
    var shape = key.source
    if key.orientation.isUpright {
      rotator = nil
    } else {
      let rotator = try PictureRotator(from: shape, orientation: key.orientation, pool: pool)
      shape = rotator.target
      if let layout = shape.pixelFormat.layout, layout.chromaShiftX + layout.chromaShiftY > 0,
        shape.color.chromaLocation == .unspecified
      {
        return nil
      }
      self.rotator = rotator
    }
    let hasAlpha = shape.pixelFormat.layout?.hasAlpha ?? false
    converter = try PictureConverter(
      from: shape,
      to: PictureShape(
        pixelFormat: hasAlpha ? target.alphaFormat : target.opaqueFormat, width: key.width,
        height: key.height, color: target.color),
      filter: .bicubic, pool: pool)
  }

  /// Whether pictures come out as they are.
  var changesNothing: Bool { rotator == nil && converter.changesNothing }

  func prepare(_ frame: Frame) throws(MediaError) -> Frame {
    try converter.convert(try rotator?.rotate(frame) ?? frame)
  }
}
