public import RespoolMedia

/// Rotation of a video, or a correction of the rotation that a file states.
public enum Rotation: Hashable, Sendable {
  /// Rotates clockwise as seen, in degrees, a multiple of 90, after the rotation that the file states.
  case clockwise(Int)
  /// Shows frames as they are stored, whatever rotation the file states.
  case asStored

  /// Returns the display matrix of a track whose matrix is `matrix`.
  ///
  /// Angles are rounded to the nearest multiple of 90, and the translation is removed.
  public func applied(to matrix: DisplayMatrix) -> DisplayMatrix {
    guard case .clockwise(let degrees) = self else { return .identity }
    let orientation = matrix.orientation
    var rotated = DisplayMatrix(
      clockwiseDegrees: orientation.clockwiseDegrees + degrees % 360)
    if orientation.mirrored { (rotated.a, rotated.b) = (-rotated.a, -rotated.b) }
    return rotated
  }
}
