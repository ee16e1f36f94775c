import RespoolPlugin

/// `clap`: the part of a frame that is meant to be displayed (ISO/IEC 14496-12 12.1.4).
struct CleanApertureBox: Box {
  static let type: FourCC = "clap"
  var aperture: CleanAperture

  init(aperture: CleanAperture) { self.aperture = aperture }

  init(from reader: inout ByteReader) throws(MediaError) {
    func ratio() throws(MediaError) -> Rational {
      // Denominators are stored as unsigned numbers, offsets as signed ones.
      Rational(try reader.big(), Int32(clamping: try reader.big(UInt32.self)))
    }
    aperture = CleanAperture(
      width: try ratio(), height: try ratio(), horizontalOffset: try ratio(),
      verticalOffset: try ratio())
  }

  func write(to writer: inout BoxWriter) {
    let ratios = [
      aperture.width, aperture.height, aperture.horizontalOffset, aperture.verticalOffset,
    ]
    for ratio in ratios {
      writer.i32(ratio.numerator)
      writer.i32(ratio.denominator)
    }
  }
}
