extension TrackDescription {
  /// Fills in profile, level, pixel format, color and the rest that the configuration record stores.
  ///
  /// What the container says itself stays. Leaves out what cannot be read: the decoder finds out by itself.
  public mutating func readVideoConfiguration() {
    do throws(MediaError) {
      switch codec {
      case "h264": try readAVC()
      case "hevc": try readHEVC()
      case "av1": try readAV1()
      case "vp9": try readVP9()
      case "vp8": pixelFormat = .yuv420p
      case "mpeg4", "h263", "mpeg1video", "flv1": pixelFormat = .yuv420p
      default: break
      }
    } catch {
      // The decoder finds out by itself.
    }
  }

  private mutating func setPixels(chroma: Int, depth: Int) {
    let family = ["gray", "yuv420p", "yuv422p", "yuv444p"]
    guard chroma < family.count else { return }
    let name = depth == 8 ? family[chroma] : "\(family[chroma])\(depth)le"
    pixelFormat = PixelFormat(name: name) ?? .none
  }

  /// Completes the color by that of the coded frames, whose matrix decides whether they are RGB.
  ///
  /// With the identity matrix the planes are green, blue and red (ITU-T H.273 table 4), of the same size.
  private mutating func takeColor(_ stored: ColorDescription) {
    let name = pixelFormat.name
    guard stored.matrix == H273.Matrix.identity, name.hasPrefix("yuv444p"),
      let format = PixelFormat(name: "gbrp" + name.dropFirst("yuv444p".count))
    else {
      color = color.completed(by: stored, isYUV: true)
      return
    }
    pixelFormat = format
    color = color.completed(by: stored, isYUV: false)
    color.matrix = stored.matrix
    if color.range == .unspecified { color.range = stored.range }
  }

  /// avcC (ISO/IEC 14496-15 5.3.3.1) and the first sequence parameter set in it.
  private mutating func readAVC() throws(MediaError) {
    var reader = ByteReader(extradata)
    try reader.skip(1)
    profile = Int32(try reader.u8())
    try reader.skip(1)
    level = Int32(try reader.u8())
    try reader.skip(1)
    guard try reader.u8() & 0x1F > 0 else { return }
    let size = Int(try reader.big(UInt16.self))
    let set = try AVCSequenceParameters(nalUnit: try reader.take(size), usability: true)
    setPixels(chroma: Int(set.chromaFormat), depth: Int(set.lumaBitDepth))
    reorderDepth = set.usability?.reorderDepth ?? reorderDepth
    if let stored = set.usability?.color { takeColor(stored) }
    if let aspect = set.usability?.sampleAspect, !sampleAspect.isPositive { sampleAspect = aspect }
    if set.width > 0, set.height > 0 {
      width = set.width
      height = set.height
    }
    if fieldOrder == .unknown, set.isProgressive { fieldOrder = .progressive }
  }

  /// hvcC (ISO/IEC 14496-15 8.3.3.1).
  private mutating func readHEVC() throws(MediaError) {
    var reader = ByteReader(extradata)
    try reader.skip(1)
    profile = Int32(try reader.u8() & 0x1F)
    try reader.skip(10)
    level = Int32(try reader.u8())
    try reader.skip(3)
    var chroma = Int(try reader.u8() & 3)
    let depth = Int(try reader.u8() & 7) + 8
    // Main, Main 10 and Main Still Picture have 4:2:0 alone (ITU-T H.265 A.3); some writers leave 0.
    if let profile, (1...3).contains(profile) { chroma = 1 }
    setPixels(chroma: chroma, depth: depth)
    let sets = try? HEVCConfiguration(extradata).arrays.first { $0.type == 33 }?.units.first
    guard let unit = sets,
      let usability = try? HEVCSequenceParameters(nalUnit: unit, usability: true).usability
    else { return }
    reorderDepth = usability.reorderDepth
    if let stored = usability.color { takeColor(stored) }
    if let aspect = usability.sampleAspect, !sampleAspect.isPositive { sampleAspect = aspect }
    if fieldOrder == .unknown, !usability.hasFields { fieldOrder = .progressive }
  }

  /// av1C (AV1 Codec ISO Media File Format Binding 2.3.3).
  private mutating func readAV1() throws(MediaError) {
    var bits = BitReader(extradata)
    try bits.skip(8)
    profile = Int32(try bits.bits(3))
    level = Int32(try bits.bits(5))
    try bits.skip(1)
    let highDepth = try bits.bit()
    let twelve = try bits.bit()
    let monochrome = try bits.bit()
    let subsampledX = try bits.bit()
    let subsampledY = try bits.bit()
    let chroma = monochrome ? 0 : subsampledY ? 1 : subsampledX ? 2 : 3
    setPixels(chroma: chroma, depth: highDepth ? (twelve ? 12 : 10) : 8)
    if let header = try AV1Configuration(units: extradata.dropFirst(4)) {
      takeColor(header.color)
    }
  }

  /// vpcC (VP Codec ISO Media File Format Binding), without version and flags.
  private mutating func readVP9() throws(MediaError) {
    var reader = ByteReader(extradata)
    profile = Int32(try reader.u8())
    level = Int32(try reader.u8())
    let format = try reader.u8()
    let chroma = Int(format >> 1 & 7)
    setPixels(chroma: chroma == 0 ? 1 : chroma, depth: Int(format >> 4))
    let stored = ColorDescription(
      primaries: try reader.u8(), transfer: try reader.u8(), matrix: try reader.u8(),
      range: format & 1 == 1 ? .full : .limited)
    if color == .unspecified || stored.matrix == H273.Matrix.identity { takeColor(stored) }
  }
}
