import RespoolPlugin

/// The orientation of an image as Exif numbers it (CIPA DC-008 4.6.5.1.6, tag 274).
enum ExifOrientation: UInt16 {
  case upright = 1
  case mirrored, turned180, mirroredTurned180, mirroredTurned270, turned90, mirroredTurned90
  case turned270

  /// The transformation that shows the image upright.
  var matrix: DisplayMatrix {
    let angle =
      switch self {
      case .upright, .mirrored: 0
      case .turned90, .mirroredTurned90: 90
      case .turned180, .mirroredTurned180: 180
      case .turned270, .mirroredTurned270: 270
      }
    return DisplayMatrix(clockwiseAngle: Double(angle), mirrored: isMirrored)
  }

  private var isMirrored: Bool {
    switch self {
    case .mirrored, .mirroredTurned90, .mirroredTurned180, .mirroredTurned270: true
    default: false
    }
  }

  /// Creates the orientation that is nearest to a transformation.
  init(_ matrix: DisplayMatrix) {
    let orientation = matrix.orientation
    self =
      switch (orientation.clockwiseDegrees, orientation.mirrored) {
      case (90, false): .turned90
      case (180, false): .turned180
      case (270, false): .turned270
      case (0, true): .mirrored
      case (90, true): .mirroredTurned90
      case (180, true): .mirroredTurned180
      case (270, true): .mirroredTurned270
      default: .upright
      }
  }
}
