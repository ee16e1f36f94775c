import CAVCodec
import RespoolPlugin

extension Frame {
  /// Stores libavcodec's side data of a frame in the forms that ``SideData`` defines.
  ///
  /// Data that applies to one coding only is omitted: motion vectors, quantizers, and texts of the encoder.
  mutating func takeSideData(of frame: UnsafeMutablePointer<AVFrame>) {
    guard frame.pointee.nb_side_data > 0 else { return }
    if let value = Self.value(
      frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
      let display = MasteringDisplay(value)
    {
      sideData.append(SideData(.masteringDisplay, display.bytes))
    }
    if let value = Self.value(
      frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self)
    {
      let level = ContentLightLevel(
        maximum: UInt16(clamping: value.MaxCLL), maximumAverage: UInt16(clamping: value.MaxFALL))
      sideData.append(SideData(.contentLightLevel, level.bytes))
    }
    if let message = Self.dynamicMetadata(frame) {
      sideData.append(SideData(.registeredUserData, message))
    }
    if let unit = Self.bytes(frame, AV_FRAME_DATA_DOVI_RPU_BUFFER) {
      sideData.append(SideData(.dolbyVisionUnit, Array(unit)))
    }
    if let captions = Self.bytes(frame, AV_FRAME_DATA_A53_CC), let message = Self.message(captions)
    {
      sideData.append(SideData(.registeredUserData, message))
    }
    if let timecodes = Self.bytes(frame, AV_FRAME_DATA_S12M_TIMECODE) {
      sideData.append(SideData(.timecodes, Array(timecodes)))
    } else if let code = Self.value(frame, AV_FRAME_DATA_GOP_TIMECODE, Int64.self) {
      sideData.append(Timecode(groupOfPictures: UInt32(truncatingIfNeeded: code)).sideData)
    }
    if let profile = Self.bytes(frame, AV_FRAME_DATA_ICC_PROFILE) {
      sideData.append(SideData(.colorProfile, Array("prof".utf8) + profile))
    }
  }

  /// Returns HDR10+ metadata as a message of ITU-T T.35.
  private static func dynamicMetadata(_ frame: UnsafeMutablePointer<AVFrame>) -> [UInt8]? {
    guard let bytes = bytes(frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS),
      bytes.count >= MemoryLayout<AVDynamicHDRPlus>.size,
      let value = bytes.baseAddress?.assumingMemoryBound(to: AVDynamicHDRPlus.self)
    else { return nil }
    let message = [UInt8](unsafeUninitializedCapacity: Int(AVCODEC_HDR_PLUS_ROOM)) { room, count in
      count = room.baseAddress.map { avcodec_hdr_plus_message(value, $0) } ?? 0
    }
    return message.isEmpty ? nil : message
  }

  /// Returns CTA-708 triplets, at most 31, as a message of ITU-T T.35 (ATSC A/53 part 4, 6.2.3.1).
  private static func message(_ captions: UnsafeRawBufferPointer) -> [UInt8]? {
    let count = min(captions.count / 3, 31)
    guard count > 0 else { return nil }
    let head: [UInt8] = [0xB5, 0x00, 0x31] + Array("GA94".utf8) + [3, 0x40 | UInt8(count), 0xFF]
    return head + captions.prefix(count * 3) + [0xFF]
  }

  private static func value<T>(
    _ frame: UnsafeMutablePointer<AVFrame>, _ type: AVFrameSideDataType, _: T.Type
  ) -> T? {
    guard let bytes = bytes(frame, type), bytes.count >= MemoryLayout<T>.size else { return nil }
    return bytes.baseAddress?.assumingMemoryBound(to: T.self).pointee
  }

  private static func bytes(
    _ frame: UnsafeMutablePointer<AVFrame>, _ type: AVFrameSideDataType
  ) -> UnsafeRawBufferPointer? {
    guard let side = av_frame_get_side_data(frame, type), side.pointee.size > 0,
      let data = side.pointee.data
    else { return nil }
    return UnsafeRawBufferPointer(start: data, count: Int(side.pointee.size))
  }
}

extension MasteringDisplay {
  /// Returns `nil` if libavcodec knows neither colors nor luminance.
  fileprivate init?(_ value: AVMasteringDisplayMetadata) {
    guard value.has_primaries != 0 || value.has_luminance != 0 else { return nil }
    // FFmpeg's order is red, green, blue, each as a pair of fractions.
    let colors = withUnsafeBytes(of: value.display_primaries) {
      Array($0.bindMemory(to: AVRational.self)).map(\.double)
    }
    self.init(
      red: .init(colors[0], colors[1]), green: .init(colors[2], colors[3]),
      blue: .init(colors[4], colors[5]),
      whitePoint: .init(value.white_point.0.double, value.white_point.1.double),
      maximumLuminance: Self.units(value.max_luminance.double),
      minimumLuminance: Self.units(value.min_luminance.double))
  }
}

extension AVRational {
  fileprivate var double: Double { den == 0 ? 0 : Double(num) / Double(den) }
}
