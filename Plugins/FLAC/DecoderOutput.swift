import CFLAC
import RespoolPlugin

/// The frame that libFLAC's callback makes of a packet.
final class DecoderOutput {
  var frame: Frame?
  /// `true` to keep the audio samples as STREAMINFO's MD5 takes them.
  var isHashed = false
  private(set) var packed: [UInt8] = []

  private let channelLayout: ChannelLayout
  private let sampleRate: Int
  private let sampleFormat: SampleFormat

  init(_ track: TrackDescription, _ info: FLACStreamInfo?) {
    let count = info.map { Int($0.channelCount) } ?? track.channelLayout.channelCount
    let isKnown = track.channelLayout.channelCount == count && track.channelLayout.mask != 0
    channelLayout = isKnown ? track.channelLayout : .flac(count)
    sampleRate = info.map { Int($0.sampleRate) } ?? track.sampleRate
    sampleFormat = (info?.bitsPerSample ?? 16) > 16 ? .s32 : .s16
  }

  /// Returns silence of the length that the header of a damaged frame states; `nil` if the header is damaged too.
  func silence(for buffer: MediaBuffer) -> Frame? {
    let head = buffer.withBytes { Array($0.prefix(FLACFrameHeader.largestSize)) }
    guard let header = FLACFrameHeader(head), sampleRate > 0,
      var frame = Frame(
        sampleFormat: sampleFormat, channelLayout: channelLayout.resolved, sampleRate: sampleRate,
        sampleCount: header.blockSize)
    else { return nil }
    for plane in frame.planes {
      plane.base.initializeMemory(as: UInt8.self, repeating: 0, count: plane.stride)
    }
    frame.flags.insert(.corrupt)
    return frame
  }

  /// The form for libFLAC, whose callback must not be called after the end of this object.
  var input: cflac_input {
    cflac_input(
      bytes: nil, count: 0, error: 0, context: Unmanaged.passUnretained(self).toOpaque(),
      frame: { context, header, samples in
        guard let context else { return }
        Unmanaged<DecoderOutput>.fromOpaque(context).takeUnretainedValue()
          .take(header.pointee, samples)
      })
  }

  private func take(
    _ header: FLAC__FrameHeader, _ samples: UnsafePointer<UnsafePointer<FLAC__int32>>
  ) {
    let channels = Int(header.channels)
    let depth = Int(header.bits_per_sample)
    let rate = header.sample_rate > 0 ? Int(header.sample_rate) : sampleRate
    let isKnown = channelLayout.channelCount == channels
    let format = depth > 16 ? SampleFormat.s32 : .s16
    guard (1...32).contains(depth), rate > 0,
      let made = Frame(
        sampleFormat: format, channelLayout: isKnown ? channelLayout : .flac(channels),
        sampleRate: rate, sampleCount: Int(header.blocksize)),
      let plane = made.planes.first
    else { return }
    let shift = UInt32(format.bytesPerSample * 8 - depth)
    let count = Int(header.blocksize)
    if format == .s16 {
      cflac_interleave_16(
        plane.base.assumingMemoryBound(to: Int16.self), samples, header.channels, count, shift)
    } else {
      cflac_interleave_32(
        plane.base.assumingMemoryBound(to: Int32.self), samples, header.channels, count, shift)
    }
    if isHashed {
      let bytes = (depth + 7) / 8
      packed = [UInt8](unsafeUninitializedCapacity: count * channels * bytes) { buffer, used in
        if let base = buffer.baseAddress {
          cflac_pack(base, samples, header.channels, count, UInt32(bytes))
        }
        used = count * channels * bytes
      }
    }
    frame = made
  }
}
