package import RespoolMedia

/// The size that a picture is coded with so that it fits a box.
package struct PictureSize: Hashable {
  package var width: Int
  package var height: Int
  package var sampleAspect: Rational
  package var reason: String

  /// Fits a picture into a box.
  ///
  /// - Parameters:
  ///   - width: of the picture as it is coded, 1 or more.
  ///   - height: of the picture as it is coded, 1 or more.
  ///   - sampleAspect: shape of its pixels; unknown means square.
  ///   - box: what the picture fits into when it is shown. Its longer side goes along the picture's
  ///     longer side, so that an upright clip of a phone becomes as large as one filmed across.
  ///   - enlarge: whether a smaller picture grows until it touches the box.
  ///
  /// Whatever is scaled gets square pixels. What is not scaled keeps the shape of its pixels, so that
  /// it need not be sampled anew. Sides are even, as 4:2:0 needs: an odd one loses its last line by
  /// scaling, never by cropping. The box is taken to lie across where the coded picture does; a quarter
  /// turn exchanges both, so the result holds before and after it.
  package static func fit(
    width: Int, height: Int, sampleAspect: Rational, box: Preset.Size?, enlarge: Bool
  ) -> PictureSize {
    let aspect = sampleAspect.isPositive ? sampleAspect.reduced : Rational(1, 1)
    let isSquare = aspect == Rational(1, 1)
    // The size in square pixels, both sides times the aspect's denominator: exact in 128 bits.
    let shownWidth = Int128(width) * Int128(aspect.numerator)
    let shownHeight = Int128(height) * Int128(aspect.denominator)
    let unit = Int128(aspect.denominator)

    if let box {
      let across = shownWidth >= shownHeight
      // An even side that fits an odd one is shorter.
      let long = Int128(max(2, max(box.width, box.height) & ~1))
      let short = Int128(max(2, min(box.width, box.height) & ~1))
      let (boxWidth, boxHeight) = across ? (long, short) : (short, long)
      let turned = across == (box.width >= box.height) ? "" : ", turned with the picture"
      let fits = shownWidth <= boxWidth * unit && shownHeight <= boxHeight * unit
      let touches = shownWidth == boxWidth * unit || shownHeight == boxHeight * unit
      if !fits || enlarge && !touches {
        var (w, h) = (boxWidth, boxHeight)
        if shownWidth * boxHeight >= shownHeight * boxWidth {
          h = even(nearest: shownHeight * boxWidth, over: shownWidth)
        } else {
          w = even(nearest: shownWidth * boxHeight, over: shownHeight)
        }
        let verb = fits ? "enlarged to touch" : "reduced to fit"
        return PictureSize(
          width: Int(even(nearest: w, over: 1)), height: Int(even(nearest: h, over: 1)),
          sampleAspect: Rational(1, 1),
          reason: "\(describe(width, height, aspect)) \(verb) \(box)\(turned)"
            + (isSquare ? "" : ", with square pixels"))
      }
    }

    let evenWidth = max(2, width & ~1)
    let evenHeight = max(2, height & ~1)
    var reason: String
    if evenWidth != width || evenHeight != height {
      reason = "\(width)x\(height) has an odd side; sides must be even"
    } else if let box {
      reason = "fits \(box)" + (enlarge ? " and touches it" : "; nothing is enlarged")
    } else {
      reason = "as the source; the preset sets no size"
    }
    if !isSquare {
      reason += "; pixels keep their shape, \(aspect.numerator):\(aspect.denominator)"
    }
    return PictureSize(
      width: evenWidth, height: evenHeight,
      sampleAspect: sampleAspect.isPositive ? aspect : .unknown, reason: reason)
  }

  /// The even number nearest to a ratio of positive numbers, 2 at least; halfway goes up.
  private static func even(nearest numerator: Int128, over denominator: Int128) -> Int128 {
    max(2, (numerator + denominator) / (2 * max(denominator, 1)) * 2)
  }

  private static func describe(_ width: Int, _ height: Int, _ aspect: Rational) -> String {
    aspect == Rational(1, 1)
      ? "\(width)x\(height)"
      : "\(width)x\(height) with pixels of \(aspect.numerator):\(aspect.denominator)"
  }
}
