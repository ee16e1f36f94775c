import CAVFormat
import RespoolPlugin

extension TrackDescription {
  /// Stores libavformat's side data of a stream in the form of the boxes of ISO/IEC 14496-12.
  mutating func takeSideData(of stream: UnsafeMutablePointer<AVStream>) {
    if let bytes = Self.sideData(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
      bytes.count >= MemoryLayout<AVMasteringDisplayMetadata>.size
    {
      let value = bytes.loadUnaligned(as: AVMasteringDisplayMetadata.self)
      if let display = MasteringDisplay(value) {
        sideData.append(SideData(.masteringDisplay, display.bytes))
      }
    }
    if let bytes = Self.sideData(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
      bytes.count >= MemoryLayout<AVContentLightMetadata>.size
    {
      let level = ContentLightLevel(bytes.loadUnaligned(as: AVContentLightMetadata.self))
      sideData.append(SideData(.contentLightLevel, level.bytes))
    }
    if let bytes = Self.sideData(stream, AV_PKT_DATA_DOVI_CONF),
      bytes.count >= MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
    {
      let vision = DolbyVisionConfiguration(
        bytes.loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self))
      sideData.append(SideData(vision.type, vision.bytes))
    }
    if let bytes = Self.sideData(stream, AV_PKT_DATA_ICC_PROFILE) {
      sideData.append(SideData(.colorProfile, Array("prof".utf8) + bytes))
    }
    if let bytes = Self.sideData(stream, AV_PKT_DATA_STEREO3D),
      bytes.count >= MemoryLayout<AVStereo3D>.size,
      let mode = Self.stereoMode(bytes.loadUnaligned(as: AVStereo3D.self))
    {
      // Version and flags, then the mode (Spherical Video V2, "st3d").
      sideData.append(SideData("st3d", [0, 0, 0, 0, mode]))
    }
  }

  private static func stereoMode(_ value: AVStereo3D) -> UInt8? {
    switch value.type {
    case AV_STEREO3D_2D: 0
    case AV_STEREO3D_TOPBOTTOM: 1
    case AV_STEREO3D_SIDEBYSIDE: 2
    default: nil
    }
  }

  static func sideData(
    _ stream: UnsafeMutablePointer<AVStream>, _ type: AVPacketSideDataType
  ) -> UnsafeRawBufferPointer? {
    var size = 0
    guard let data = av_stream_get_side_data(stream, type, &size), size > 0 else { return nil }
    return UnsafeRawBufferPointer(start: data, count: size)
  }
}

extension MasteringDisplay {
  /// Returns `nil` if libavformat knows neither colors nor luminance.
  init?(_ value: AVMasteringDisplayMetadata) {
    guard value.has_primaries != 0 || value.has_luminance != 0 else { return nil }
    func number(_ value: AVRational) -> Double {
      value.den == 0 ? 0 : Double(value.num) / Double(value.den)
    }
    func color(_ pair: (AVRational, AVRational)) -> Chromaticity {
      Chromaticity(number(pair.0), number(pair.1))
    }
    // FFmpeg's order is red, green, blue.
    let colors = value.display_primaries
    self.init(
      red: color(colors.0), green: color(colors.1), blue: color(colors.2),
      whitePoint: color(value.white_point),
      maximumLuminance: Self.units(number(value.max_luminance)),
      minimumLuminance: Self.units(number(value.min_luminance)))
  }
}

extension ContentLightLevel {
  init(_ value: AVContentLightMetadata) {
    self.init(
      maximum: UInt16(clamping: value.MaxCLL), maximumAverage: UInt16(clamping: value.MaxFALL))
  }
}

extension DolbyVisionConfiguration {
  init(_ value: AVDOVIDecoderConfigurationRecord) {
    self.init(
      versionMajor: value.dv_version_major, versionMinor: value.dv_version_minor,
      profile: value.dv_profile, level: value.dv_level,
      hasReferenceProcessingUnits: value.rpu_present_flag != 0,
      hasEnhancementLayer: value.el_present_flag != 0, hasBaseLayer: value.bl_present_flag != 0,
      baseLayerCompatibility: value.dv_bl_signal_compatibility_id)
  }
}
