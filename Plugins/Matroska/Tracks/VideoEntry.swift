import RespoolPlugin

/// The Video element of a track (RFC 9559 5.1.4.1.28).
struct VideoEntry {
  private let track: TrackDescription
  private let hasAlpha: Bool

  init(_ track: TrackDescription, hasAlpha: Bool) {
    self.track = track
    self.hasAlpha = hasAlpha
  }

  func write(to entry: inout EBMLWriter) {
    entry.master(.video) { video in
      switch track.fieldOrder {
      case .progressive: video.unsigned(.flagInterlaced, 2)
      case .topFirst, .bottomFirst:
        video.unsigned(.flagInterlaced, 1)
        video.unsigned(.fieldOrder, track.fieldOrder == .topFirst ? 1 : 6)
      case .unknown: break
      }
      if hasAlpha { video.unsigned(.alphaMode, 1) }
      video.unsigned(.pixelWidth, track.width)
      video.unsigned(.pixelHeight, track.height)
      let aspect = track.sampleAspect
      if aspect.isPositive, aspect.numerator != aspect.denominator {
        let width = Int64(track.width) * Int64(aspect.numerator)
        let half = Int64(aspect.denominator) / 2
        video.unsigned(.displayWidth, max(1, Int((width + half) / Int64(aspect.denominator))))
        video.unsigned(.displayHeight, track.height)
      }
      writeColour(&video)
      writeProjection(&video)
    }
  }

  private func writeColour(_ video: inout EBMLWriter) {
    let color = track.color
    guard color != .unspecified else { return }
    video.master(.colour) { colour in
      if color.matrix != 2 { colour.unsigned(.matrixCoefficients, Int(color.matrix)) }
      // 1: sited with luma on that axis, 2: half-way between.
      let siting: (horizontal: Int, vertical: Int)? =
        switch color.chromaLocation {
        case .left: (1, 2)
        case .center: (2, 2)
        case .topLeft: (1, 1)
        case .top: (2, 1)
        case .unspecified, .bottomLeft, .bottom: nil
        }
      if let siting {
        colour.unsigned(.chromaSitingHorz, siting.horizontal)
        colour.unsigned(.chromaSitingVert, siting.vertical)
      }
      if color.range != .unspecified { colour.unsigned(.range, color.range == .full ? 2 : 1) }
      if color.transfer != 2 { colour.unsigned(.transferCharacteristics, Int(color.transfer)) }
      if color.primaries != 2 { colour.unsigned(.primaries, Int(color.primaries)) }
    }
  }

  /// A turn of the picture; many players do not heed it.
  private func writeProjection(_ video: inout EBMLWriter) {
    let degrees = track.displayMatrix.orientation.clockwiseDegrees
    guard degrees != 0 else { return }
    video.master(.projection) { projection in
      projection.unsigned(.projectionType, 0)
      // Counter-clockwise, from -180 to 180.
      projection.float(.projectionPoseRoll, Double(degrees <= 180 ? -degrees : 360 - degrees))
    }
  }
}
