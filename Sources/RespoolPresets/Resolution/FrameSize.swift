package import RespoolMedia

/// The size at which a frame is encoded so that it fits a box.
package struct FrameSize: Hashable {
  package var width: Int
  package var height: Int
  package var sampleAspect: Rational
  package var reason: String

  /// Fits a frame into a box.
  ///
  /// - Parameters:
  ///   - width: width of the coded frame, 1 or more.
  ///   - height: height of the coded frame, 1 or more.
  ///   - sampleAspect: pixel aspect ratio; unknown means square.
  ///   - box: size into which the displayed frame fits. Its longer side applies to the frame's longer side,
  ///     so that an upright clip of a phone becomes as large as one in landscape orientation.
  ///   - enlarge: `true` if a smaller frame is enlarged until it touches the box.
  ///   - evenSides: `false` for a codec that takes odd sides.
  ///   - origin: name of the media with this size, for the reason.
  ///
  /// Scaled frames get square pixels. Frames that are not scaled keep their pixel aspect ratio, so that
  /// they need no resampling. Sides are even, as 4:2:0 needs: an odd side loses its last line by scaling,
  /// never by cropping. The orientation of the box follows that of the coded frame. A rotation by 90
  /// degrees exchanges the sides of both, so the result is valid before and after it.
  package static func fit(
    width: Int, height: Int, sampleAspect: Rational, box: Preset.Size?, enlarge: Bool,
    evenSides: Bool = true, of origin: String = "the source"
  ) -> FrameSize {
    let aspect = sampleAspect.isPositive ? sampleAspect.reduced : Rational(1, 1)
    let isSquare = aspect == Rational(1, 1)
    // The size in square pixels, with both sides multiplied by the aspect's denominator: exact in 128 bits.
    let shownWidth = Int128(width) * Int128(aspect.numerator)
    let shownHeight = Int128(height) * Int128(aspect.denominator)
    let unit = Int128(aspect.denominator)

    if let box {
      let across = shownWidth >= shownHeight
      // A box with an odd side is reduced to an even one, because frames have even sides.
      let long = Int128(max(2, max(box.width, box.height) & ~1))
      let short = Int128(max(2, min(box.width, box.height) & ~1))
      let (boxWidth, boxHeight) = across ? (long, short) : (short, long)
      let rotated =
        across == (box.width >= box.height) ? "" : ", with the sides of the box exchanged"
      let fits = shownWidth <= boxWidth * unit && shownHeight <= boxHeight * unit
      let touches = shownWidth == boxWidth * unit || shownHeight == boxHeight * unit
      if !fits || enlarge && !touches {
        var (w, h) = (boxWidth, boxHeight)
        if shownWidth * boxHeight >= shownHeight * boxWidth {
          h = even(nearest: shownHeight * boxWidth, over: shownWidth)
        } else {
          w = even(nearest: shownWidth * boxHeight, over: shownHeight)
        }
        let verb = fits ? "enlarged to fit" : "reduced to fit"
        return FrameSize(
          width: Int(even(nearest: w, over: 1)), height: Int(even(nearest: h, over: 1)),
          sampleAspect: Rational(1, 1),
          reason: "\(describe(width, height, aspect)) \(verb) \(box)\(rotated)"
            + (isSquare ? "" : ", with square pixels"))
      }
    }

    let evenWidth = evenSides ? max(2, width & ~1) : width
    let evenHeight = evenSides ? max(2, height & ~1) : height
    var reason: String
    if evenWidth != width || evenHeight != height {
      reason = "\(width)x\(height) has an odd side; sides must be even"
    } else if let box {
      reason =
        "fits \(box)" + (enlarge ? "; no enlarging is needed" : "; the frame is not enlarged")
    } else {
      reason = "as \(origin); the preset sets no size"
    }
    if !isSquare {
      reason += "; the pixel aspect ratio stays \(aspect.numerator):\(aspect.denominator)"
    }
    return FrameSize(
      width: evenWidth, height: evenHeight,
      sampleAspect: sampleAspect.isPositive ? aspect : .unknown, reason: reason)
  }

  /// Returns the even number nearest to a ratio of positive numbers, at least 2; halfway is rounded up.
  private static func even(nearest numerator: Int128, over denominator: Int128) -> Int128 {
    max(2, (numerator + denominator) / (2 * max(denominator, 1)) * 2)
  }

  private static func describe(_ width: Int, _ height: Int, _ aspect: Rational) -> String {
    aspect == Rational(1, 1)
      ? "\(width)x\(height)"
      : "\(width)x\(height) with pixel aspect ratio \(aspect.numerator):\(aspect.denominator)"
  }
}
