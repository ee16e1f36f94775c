import Glibc
import RespoolMedia

/// Frames and audio that checks send to encoders, equal in every run.
enum SyntheticMedia {
  static let width = 128
  static let height = 96

  static func videoTrack(_ codec: String, _ format: PixelFormat) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    track.width = width
    track.height = height
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    track.baseFrameRate = Rational(25, 1)
    track.sampleAspect = Rational(1, 1)
    return track
  }

  static func audioTrack(
    _ codec: String, _ format: SampleFormat, rate: Int = 48000, layout: ChannelLayout = .stereo
  ) -> TrackDescription {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(clamping: rate)))
    track.sampleRate = rate
    track.channelLayout = layout
    track.sampleFormat = format
    track.bitsPerSample = format.bytesPerSample * 8
    return track
  }

  /// Returns a black frame for even numbers; for odd ones, a frame in which every row is a moving ramp.
  static func picture(_ format: PixelFormat, number: Int) -> Frame? {
    guard var frame = Frame(pixelFormat: format, width: width, height: height, pts: Int64(number)),
      let layout = format.layout
    else { return nil }
    for plane in 0..<layout.planeCount {
      let bytes = layout.rowBytes(ofPlane: plane, for: width)
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        let base = frame.planes[plane].base + row * frame.planes[plane].stride
        for column in 0..<bytes {
          let ramp = UInt8(truncatingIfNeeded: column + row + number)
          // Components of more than eight bits have their high byte last: small values are valid at every
          // depth, and in floating point too.
          let isHigh = layout.depth > 8 && column & 1 == 1
          let value: UInt8 = number & 1 == 0 ? 0 : isHigh ? ramp & 1 : ramp
          base.storeBytes(of: layout.isFloat ? 0 : value, toByteOffset: column, as: UInt8.self)
        }
      }
    }
    frame.duration = 1
    frame.sampleAspect = Rational(1, 1)
    return frame
  }

  /// Returns a tone of 440 Hz at a quarter of full scale.
  static func tone(_ track: TrackDescription, start: Int64, count: Int) -> Frame? {
    guard
      var frame = Frame(
        sampleFormat: track.sampleFormat, channelLayout: track.channelLayout,
        sampleRate: track.sampleRate, sampleCount: count, pts: start)
    else { return nil }
    let channels = track.channelLayout.channelCount
    let isPlanar = track.sampleFormat.isPlanar
    for sample in 0..<count {
      let angle = 2 * Double.pi * 440 * Double(start + Int64(sample)) / Double(track.sampleRate)
      let value = sin(angle) / 4
      for channel in 0..<channels {
        let plane = frame.planes[isPlanar ? channel : 0].base
        store(value, track.sampleFormat, plane, isPlanar ? sample : sample * channels + channel)
      }
    }
    frame.duration = Int64(count)
    return frame
  }

  private static func store(
    _ value: Double, _ format: SampleFormat, _ plane: UnsafeMutableRawPointer, _ index: Int
  ) {
    let offset = index * format.bytesPerSample
    switch format.interleaved {
    case .u8: plane.storeBytes(of: UInt8(128 + value * 127), toByteOffset: offset, as: UInt8.self)
    case .s16: plane.storeBytes(of: Int16(value * 32767), toByteOffset: offset, as: Int16.self)
    case .s32:
      plane.storeBytes(of: Int32(value * 2_147_483_000), toByteOffset: offset, as: Int32.self)
    case .flt: plane.storeBytes(of: Float(value), toByteOffset: offset, as: Float.self)
    default: plane.storeBytes(of: value, toByteOffset: offset, as: Double.self)
    }
  }
}
