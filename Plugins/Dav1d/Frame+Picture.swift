import CDav1d
import RespoolPlugin

extension PixelFormat {
  /// Creates the format of a picture; `nil` if it is unknown.
  init?(_ picture: Dav1dPicture) {
    let header = picture.seq_hdr.pointee
    // sRGB with the identity matrix is stored as green, blue and red (AV1 specification 6.4.2).
    let isRGB =
      header.pri == DAV1D_COLOR_PRI_BT709 && header.trc == DAV1D_TRC_SRGB
      && header.mtrx == DAV1D_MC_IDENTITY
    let formats: [PixelFormat]
    switch picture.p.layout {
    case DAV1D_PIXEL_LAYOUT_I400: formats = [.gray, .gray10le, .gray12le]
    case DAV1D_PIXEL_LAYOUT_I420: formats = [.yuv420p, .yuv420p10le, .yuv420p12le]
    case DAV1D_PIXEL_LAYOUT_I422: formats = [.yuv422p, .yuv422p10le, .yuv422p12le]
    case DAV1D_PIXEL_LAYOUT_I444 where isRGB: formats = [.gbrp, .gbrp10le, .gbrp12le]
    case DAV1D_PIXEL_LAYOUT_I444: formats = [.yuv444p, .yuv444p10le, .yuv444p12le]
    default: return nil
    }
    guard let place = [8, 10, 12].firstIndex(of: picture.p.bpc) else { return nil }
    self = formats[place]
  }
}

extension Frame {
  /// Creates a frame that shares the memory of a picture.
  ///
  /// `track` has the aspect ratio and the color of the container, which apply before those of the stream.
  init(_ reference: PictureReference, of track: TrackDescription) throws(MediaError) {
    let picture = reference.pointer.pointee
    guard let pixelFormat = PixelFormat(picture), let layout = pixelFormat.layout else {
      throw MediaError(
        .unsupported,
        "dav1d returned a frame of \(picture.p.bpc) bits in its layout "
          + "\(picture.p.layout.rawValue), which is not supported")
    }
    var planes: [Plane] = []
    for index in 0..<layout.planeCount {
      guard let base = cdav1d_plane(reference.pointer, Int32(index)) else {
        throw MediaError(.pluginFailure, "dav1d omitted a plane of a frame")
      }
      planes.append(Plane(base: base, stride: cdav1d_stride(reference.pointer, Int32(index))))
    }
    self.init(
      kind: .video, pts: picture.m.timestamp == .min ? nil : picture.m.timestamp, planes: planes,
      buffer: reference.buffer)
    duration = picture.m.duration
    self.pixelFormat = pixelFormat
    (width, height) = (Int(picture.p.w), Int(picture.p.h))
    sampleAspect = Self.aspect(picture, track)
    color = ColorDescription(picture.seq_hdr.pointee, track)
    if picture.frame_hdr.pointee.frame_type == DAV1D_FRAME_TYPE_KEY { flags.insert(.key) }
    takeSideData(of: reference)
  }

  /// Returns the aspect ratio of the container, else that of the size for which the frame is rendered.
  private static func aspect(_ picture: Dav1dPicture, _ track: TrackDescription) -> Rational {
    guard !track.sampleAspect.isPositive else { return track.sampleAspect }
    let header = picture.frame_hdr.pointee
    let across = Int64(header.render_width) * Int64(picture.p.h)
    let down = Int64(header.render_height) * Int64(picture.p.w)
    guard across > 0, down > 0, across != down else { return track.sampleAspect }
    var (a, b) = (across, down)
    while b != 0 { (a, b) = (b, a % b) }
    guard let numerator = Int32(exactly: across / a), let denominator = Int32(exactly: down / a)
    else { return track.sampleAspect }
    return Rational(numerator, denominator)
  }

  private mutating func takeSideData(of reference: PictureReference) {
    let picture = reference.pointer.pointee
    if let display = picture.mastering_display?.pointee {
      sideData.append(SideData(.masteringDisplay, MasteringDisplay(display).bytes))
    }
    if let level = picture.content_light?.pointee {
      let level = ContentLightLevel(
        maximum: UInt16(clamping: level.max_content_light_level),
        maximumAverage: UInt16(clamping: level.max_frame_average_light_level))
      sideData.append(SideData(.contentLightLevel, level.bytes))
    }
    for index in 0..<cdav1d_message_count(reference.pointer) {
      let message = cdav1d_message(reference.pointer, index).pointee
      let payload = UnsafeBufferPointer(start: message.payload, count: message.payload_size)
      var bytes = [message.country_code]
      if message.country_code == 0xFF { bytes.append(message.country_code_extension_byte) }
      sideData.append(SideData(.registeredUserData, bytes + payload))
    }
  }
}

extension MasteringDisplay {
  /// Rounds the fractions of the metadata (AV1 specification 6.7.4).
  fileprivate init(_ value: Dav1dMasteringDisplay) {
    func color(_ pair: (UInt16, UInt16)) -> Chromaticity {
      Chromaticity(Double(pair.0) / 65536, Double(pair.1) / 65536)
    }
    self.init(
      red: color(value.primaries.0), green: color(value.primaries.1),
      blue: color(value.primaries.2), whitePoint: color(value.white_point),
      maximumLuminance: Self.units(Double(value.max_luminance) / 256),
      minimumLuminance: Self.units(Double(value.min_luminance) / 16384))
  }
}

extension ColorDescription {
  /// Creates the description of a track, and takes properties that its container does not state from the stream.
  fileprivate init(_ header: Dav1dSequenceHeader, _ track: TrackDescription) {
    self = track.color
    if primaries == H273.unspecified { primaries = UInt8(clamping: header.pri.rawValue) }
    if transfer == H273.unspecified { transfer = UInt8(clamping: header.trc.rawValue) }
    if matrix == H273.unspecified { matrix = UInt8(clamping: header.mtrx.rawValue) }
    if range == .unspecified { range = header.color_range != 0 ? .full : .limited }
    if chromaLocation == .unspecified {
      switch header.chr {
      case DAV1D_CHR_VERTICAL: chromaLocation = .left
      case DAV1D_CHR_COLOCATED: chromaLocation = .topLeft
      default: break
      }
    }
  }
}
