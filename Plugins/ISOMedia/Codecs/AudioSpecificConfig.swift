import RespoolPlugin

/// The head of an AAC decoder configuration (ISO/IEC 14496-3 1.6.2.1).
struct AudioSpecificConfig: Hashable {
  /// 2 AAC LC, 5 with spectral band replication, 29 with parametric stereo.
  var objectType: UInt32
  /// Of what is decoded, after spectral band replication.
  var sampleRate: Int
  /// Of the core coder.
  var coreSampleRate: Int
  /// 0: the program configuration in the stream tells.
  var channelConfiguration: UInt32
  /// Samples of the core coder in a frame.
  var coreFrameSize = 1024
  var hasParametricStereo = false

  private static let rates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  init(_ bytes: [UInt8]) throws(MediaError) {
    var bits = BitReader(bytes)
    objectType = try Self.objectType(&bits)
    coreSampleRate = try Self.rate(&bits)
    channelConfiguration = try bits.bits(4)
    sampleRate = coreSampleRate
    var core = objectType
    if objectType == 5 || objectType == 29 {
      hasParametricStereo = objectType == 29
      sampleRate = try Self.rate(&bits)
      core = try Self.objectType(&bits)
    }
    guard [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(core) else { return }
    if try bits.bit() { coreFrameSize = 960 }
    guard objectType != 5, objectType != 29, channelConfiguration != 0 else { return }
    // Backward compatible signalling: an extension behind the configuration proper (1.6.6.1).
    var rest = bits
    do throws(MediaError) {
      if try rest.bit() { try rest.skip(14) }
      _ = try rest.bit()
      while rest.remaining >= 16 {
        var probe = rest
        if try probe.bits(11) == 0x2B7 {
          if try Self.objectType(&probe) == 5, try probe.bit() {
            sampleRate = try Self.rate(&probe)
            if probe.remaining >= 12, try probe.bits(11) == 0x548 {
              hasParametricStereo = try probe.bit()
            }
          }
          break
        }
        try rest.skip(1)
      }
    } catch {
      // Too short for an extension: there is none.
    }
  }

  private static func objectType(_ bits: inout BitReader) throws(MediaError) -> UInt32 {
    let type = try bits.bits(5)
    return type == 31 ? 32 + (try bits.bits(6)) : type
  }

  private static func rate(_ bits: inout BitReader) throws(MediaError) -> Int {
    let index = Int(try bits.bits(4))
    if index == 15 { return Int(try bits.bits(24)) }
    guard index < rates.count else {
      throw MediaError(.malformed, "sampling frequency index \(index) is reserved")
    }
    return rates[index]
  }

  /// What the decoder gives; nil where only the stream tells.
  var channelLayout: ChannelLayout? {
    switch channelConfiguration {
    case 1: hasParametricStereo ? .stereo : .mono
    case 2: .stereo
    case 3: ChannelLayout(mask: 0x7)
    case 4: ChannelLayout(mask: 0x107)
    case 5: ChannelLayout(mask: 0x37)
    case 6: ChannelLayout(mask: 0x3F)
    case 7: ChannelLayout(mask: 0xFF)
    case 11: ChannelLayout(mask: 0x13F)
    case 12: ChannelLayout(mask: 0x63F)
    default: nil
    }
  }

  /// Samples that a frame decodes to.
  var frameSize: Int {
    coreSampleRate > 0 && sampleRate == 2 * coreSampleRate ? coreFrameSize * 2 : coreFrameSize
  }

  /// FFmpeg's number for the profile: the object type less one.
  var profile: Int32? {
    objectType > 0 && objectType < 64 ? (hasParametricStereo ? 28 : Int32(objectType) - 1) : nil
  }
}
