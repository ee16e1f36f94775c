// The decoder's output for the configuration, as FFmpeg reports it.
extension AudioSpecificConfiguration {
  /// Sample rate of the decoded audio, after spectral band replication.
  public var decodedSampleRate: Int { extensionSampleRate ?? sampleRate }

  /// Layout of the decoded audio.
  ///
  /// `nil` if only the stream stores it (ISO/IEC 14496-3 table 1.19).
  public var channelLayout: ChannelLayout? {
    switch channelConfiguration {
    case 1: hasParametricStereo == true ? .stereo : .mono
    case 2: .stereo
    case 3: ChannelLayout(mask: 0x7)
    case 4: ChannelLayout(mask: 0x107)
    case 5: ChannelLayout(mask: 0x37)
    case 6: ChannelLayout(mask: 0x3F)
    // The standard has wide fronts here. Encoders have 7.1 with sides, and FFmpeg decodes it as that.
    case 7: ChannelLayout(mask: 0x63F)
    case 11: ChannelLayout(mask: 0x13F)
    case 12: ChannelLayout(mask: 0x63F)
    default: nil
    }
  }

  /// Samples that a frame decodes to.
  public var frameSize: Int {
    let core = hasShortFrames ? 960 : 1024
    return sampleRate > 0 && decodedSampleRate == 2 * sampleRate ? core * 2 : core
  }

  /// FFmpeg's number for the profile: the object type less one, 28 with parametric stereo.
  public var profile: Int32? {
    if hasParametricStereo == true { return 28 }
    let type: UInt8 = isHierarchical ? 5 : objectType
    return type > 0 && type < 64 ? Int32(type) - 1 : nil
  }
}
