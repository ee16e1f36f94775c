import RespoolMedia

/// Rotation of encoded video, stored as metadata or applied to the frames, and the size of the frames after it.
struct VideoRotation {
  private(set) var mode = VideoConversion.RotationMode.keepMatrix(.identity)
  private(set) var width: Int
  private(set) var height: Int
  private(set) var sampleAspect: Rational

  /// Decides the rotation of frames of `size`.
  ///
  /// `rotatesPixels` is `true` if the frames are rotated even if the muxer could store the rotation.
  init(
    of track: TrackDescription, _ size: FrameSize, _ muxer: FactoryDescription, rotatesPixels: Bool,
    _ recorder: DecisionRecorder
  ) {
    (width, height, sampleAspect) = (size.width, size.height, size.sampleAspect)
    let matrix = track.displayMatrix
    let orientation = matrix.orientation
    guard !orientation.isUpright || matrix.isOblique || matrix.isScaledOrSkewed else { return }
    let rotation = "\(matrix.displayedDegrees)°" + (matrix.isMirrored ? ", mirrored" : "")
    let isKept = muxer.flags.contains(.keepsRotation)
    if isKept, !rotatesPixels {
      mode = .keepMatrix(matrix)
      recorder.record("rotation", "\(rotation) as metadata", "\(muxer.name) carries it")
      return
    }
    // To the nearest multiple of 90 degrees.
    guard !orientation.isUpright else { return }
    mode = .rotatePixels(orientation)
    if orientation.swapsAxes {
      (width, height) = (height, width)
      sampleAspect = sampleAspect.inverse
    }
    recorder.record(
      "rotation", "\(rotation) turned to \(width)x\(height)",
      isKept
        ? "the frames are rotated as requested"
        : "\(muxer.name) cannot store a rotation, so the frames are rotated")
  }
}
