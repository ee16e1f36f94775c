import RespoolPlugin

/// The Video element of a track (RFC 9559 5.1.4.1.28).
struct VideoEntry {
  private let track: TrackDescription
  private let hasAlpha: Bool
  private let isWebM: Bool
  private let extras: TrackExtras
  /// The display size in the source.
  private let displaySize: DisplaySize?

  init(
    _ track: TrackDescription, hasAlpha: Bool, isWebM: Bool, extras: TrackExtras,
    displaySize: DisplaySize? = nil
  ) {
    (self.track, self.hasAlpha, self.isWebM) = (track, hasAlpha, isWebM)
    (self.extras, self.displaySize) = (extras, displaySize)
  }

  func write(to entry: inout EBMLWriter) {
    entry.master(.video) { video in
      switch track.fieldOrder {
      case .progressive where extras.copied.hasChildren(of: .video),
        .unknown where extras.copied.hasChildren(of: .video):
        extras.copied.writeChildren(of: .video, to: &video)
      case .progressive: video.unsigned(.flagInterlaced, 2)
      case .topFirst, .bottomFirst:
        video.unsigned(.flagInterlaced, 1)
        let usual: UInt8 = track.fieldOrder == .topFirst ? 1 : 6
        video.unsigned(.fieldOrder, Int(track.fieldDetail ?? usual))
      case .unknown: break
      }
      if extras.stereoMode > 0 { video.unsigned(.stereoMode, extras.stereoMode) }
      if hasAlpha { video.unsigned(.alphaMode, 1) }
      video.unsigned(.pixelWidth, track.width)
      video.unsigned(.pixelHeight, track.height)
      let shown = writeCrop(&video)
      if CompatibilityCodec.isUncompressed(track) {
        let code = (0..<4).map { UInt8(truncatingIfNeeded: track.codecTag >> ($0 * 8)) }
        video.binary(.uncompressedFourCC, code)
      }
      let aspect = track.sampleAspect
      if let size = displaySize,
        size.pixelAspectRatio(of: shown) == (aspect.isPositive ? aspect.reduced : Rational(1, 1))
      {
        size.write(to: &video)
      } else if aspect.isPositive, !aspect.isOne || mediaHasOtherPixels {
        writeDisplaySize(of: shown, aspect, to: &video)
      }
      writeColour(&video)
      writeProjection(&video)
    }
  }

  /// `true` if the configuration record states pixels that are not square.
  private var mediaHasOtherPixels: Bool {
    var media = track
    media.sampleAspect = .unknown
    media.readVideoConfiguration()
    return media.sampleAspect.isPositive && !media.sampleAspect.isOne
  }

  /// Writes a display size with exactly the display aspect ratio, and about the same height if it is in pixels.
  ///
  /// If no size in whole pixels has the ratio, Matroska stores the ratio itself. WebM has no unit for that: there the
  /// width is rounded.
  private func writeDisplaySize(
    of frame: (width: Int, height: Int), _ aspect: Rational, to video: inout EBMLWriter
  ) {
    let ratio = Rational(
      reducing: Int64(frame.width) * Int64(aspect.numerator),
      Int64(frame.height) * Int64(aspect.denominator))
    var (width, height) = (Int(ratio.numerator), Int(ratio.denominator))
    let isInPixels = (1...frame.height).contains(height)
    if isInPixels {
      let count = (frame.height + height / 2) / height
      (width, height) = (width * count, height * count)
    } else if isWebM || width < 1 || height < 1 {
      let scaled =
        Int64(frame.width) * Int64(aspect.numerator) + Int64(aspect.denominator) / 2
      (width, height) = (max(1, Int(scaled / Int64(aspect.denominator))), frame.height)
    }
    video.unsigned(.displayWidth, width)
    video.unsigned(.displayHeight, height)
    if !isInPixels, !isWebM { video.unsigned(.displayUnit, 3) }
  }

  /// Writes the clean aperture as cropping.
  ///
  /// Returns the remaining size.
  private func writeCrop(_ video: inout EBMLWriter) -> (width: Int, height: Int) {
    let whole = (width: track.width, height: track.height)
    guard let aperture = track.cleanAperture,
      aperture.fits(width: track.width, height: track.height)
    else { return whole }
    func edges(_ size: Rational, _ offset: Rational, _ whole: Int) -> (first: Int, last: Int)? {
      let free = Double(whole) - size.doubleValue
      // Whole pixels only: what the aperture hides stays hidden.
      let first = (free / 2 + offset.doubleValue - 1e-6).rounded(.up)
      let last = (free / 2 - offset.doubleValue - 1e-6).rounded(.up)
      guard first >= 0, last >= 0, first + last < Double(whole) else { return nil }
      return (Int(first), Int(last))
    }
    guard let x = edges(aperture.width, aperture.horizontalOffset, whole.width),
      let y = edges(aperture.height, aperture.verticalOffset, whole.height)
    else { return whole }
    let crops: [(ElementID, Int)] = [
      (.pixelCropBottom, y.last), (.pixelCropTop, y.first), (.pixelCropLeft, x.first),
      (.pixelCropRight, x.last),
    ]
    for (id, count) in crops where count > 0 { video.unsigned(id, count) }
    return (whole.width - x.first - x.last, whole.height - y.first - y.last)
  }

  private func writeColour(_ video: inout EBMLWriter) {
    let color = track.color
    let mastering = MasteringMetadata(track.sideData)
    guard color != .unspecified || !mastering.isEmpty || extras.copied.hasChildren(of: .colour)
    else { return }
    video.master(.colour) { colour in
      extras.copied.writeChildren(of: .colour, to: &colour)
      if color.matrix != H273.unspecified {
        colour.unsigned(.matrixCoefficients, Int(color.matrix))
      }
      // 1 means cosited with luma on that axis, 2 half-way between.
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
      if color.transfer != H273.unspecified {
        colour.unsigned(.transferCharacteristics, Int(color.transfer))
      }
      if color.primaries != H273.unspecified { colour.unsigned(.primaries, Int(color.primaries)) }
      mastering.write(to: &colour)
    }
  }

  /// Writes the rotation and mirroring as FFmpeg does.
  ///
  /// Many players ignore them.
  private func writeProjection(_ video: inout EBMLWriter) {
    guard extras.projection.isEmpty else { return video.binary(.projection, extras.projection) }
    let matrix = track.displayMatrix
    let degrees =
      matrix.isOblique
      ? matrix.clockwiseAngle ?? 0 : Double(matrix.orientation.clockwiseDegrees)
    guard degrees != 0 || matrix.isMirrored else { return }
    video.master(.projection) { projection in
      projection.unsigned(.projectionType, 0)
      // Seen from behind, left and right are exchanged.
      if matrix.isMirrored { projection.float(.projectionPoseYaw, 180) }
      // Counter-clockwise, from -180 to 180.
      if degrees != 0 {
        projection.float(.projectionPoseRoll, degrees <= 180 ? -degrees : 360 - degrees)
      }
    }
  }
}

extension Rational {
  fileprivate var isOne: Bool { numerator == denominator }
}
