public import RespoolMedia

/// A turn of what a file shows, or a correction of how it says that it is turned.
public enum PictureTurn: Hashable, Sendable {
  /// Clockwise as it is seen, in degrees, a multiple of 90; what the file says is done first.
  case clockwise(Int)
  /// As the picture is stored, whatever the file says.
  case asStored

  /// How a track is to be shown that says `matrix` so far.
  ///
  /// Angles between the quarters are taken to the nearest one, and the move is left out.
  public func applied(to matrix: DisplayMatrix) -> DisplayMatrix {
    guard case .clockwise(let degrees) = self else { return .identity }
    let orientation = matrix.orientation
    var turned = DisplayMatrix(
      clockwiseDegrees: orientation.clockwiseDegrees + degrees % 360)
    if orientation.mirrored { (turned.a, turned.b) = (-turned.a, -turned.b) }
    return turned
  }
}
