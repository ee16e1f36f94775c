import CFLAC
import RespoolPlugin

/// An encoder for FLAC (RFC 9639) with libFLAC.
final class FLACEncoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .encoder, name: "flac", longName: "FLAC by libFLAC")
    about.tier = .preferred
    about.flags = [.variableFrameSize]
    about.aliases = ["libflac"]
    about.codecs = ["flac"]
    about.options = EncoderOptions.all
    about.sampleFormats = [.s16, .s32]
    about.channelCounts = 1...8
    // In FLAC, the surround channels of 5 and 6 channels may be back or side channels (RFC 9639 9.1.3). A comment may
    // state other layouts (8.6.2), but players of FLAC in MP4 do not read it.
    about.channelLayouts =
      (1...8).map(ChannelLayout.flac) + [ChannelLayout(mask: 0x37), ChannelLayout(mask: 0x3F)]
    about.rateControl = RateControl(.audio)
    return about
  }()

  private(set) var track: TrackDescription

  private let encoder: UnsafeMutablePointer<FLAC__StreamEncoder>
  private let receiver: UnsafeMutablePointer<cflac_receiver>
  private let output = EncoderOutput()
  private let sampleFormat: SampleFormat
  private let inputTimeBase: Rational
  private let channelCount: Int
  /// Number of bits by which an audio sample of a frame is above one of the stream.
  private let shift: UInt32
  /// Audio samples of 32 bits for libFLAC.
  private let samples: UnsafeMutableBufferPointer<FLAC__int32>
  private var time: Int64?
  private var isDraining = false

  /// Number of audio samples of each channel that are passed to libFLAC at once.
  private static let stepSize = 4096

  init(settings: EncoderSettings) throws(MediaError) {
    let parameters = try Parameters(settings)
    let input = settings.track
    receiver = .allocate(capacity: 1)
    receiver.initialize(to: output.receiver)
    do throws(MediaError) {
      encoder = try parameters.open(receiver)
    } catch {
      receiver.deallocate()
      throw error
    }
    sampleFormat = input.sampleFormat
    channelCount = input.channelLayout.channelCount
    inputTimeBase =
      input.timeBase.isPositive ? input.timeBase : Rational(1, Int32(input.sampleRate))
    shift = UInt32(sampleFormat.bytesPerSample * 8 - parameters.bitsPerSample)
    samples = .allocate(capacity: Self.stepSize * channelCount)
    let blockSize = FLAC__stream_encoder_get_blocksize(encoder)
    track = input
    track.codecTag = 0
    track.timeBase = Rational(1, Int32(input.sampleRate))
    track.bitsPerSample = parameters.bitsPerSample
    track.blockAlign = 0
    track.bitRate = 0
    track.frameSize = Int(blockSize)
    track.initialPadding = 0
    track.seekPreroll = 0
    track.start = nil
    track.duration = nil
    track.extradata =
      FLACStreamInfo(
        blockSize: UInt16(clamping: blockSize), sampleRate: UInt32(input.sampleRate),
        channelCount: UInt8(channelCount), bitsPerSample: UInt8(parameters.bitsPerSample)
      ).bytes
  }

  deinit {
    // libFLAC calls no callbacks while it deletes an encoder.
    FLAC__stream_encoder_delete(encoder)
    receiver.deallocate()
    samples.deallocate()
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard output.frames.isEmpty else { return .full }
    guard let frame else {
      if !isDraining {
        isDraining = true
        try check(FLAC__stream_encoder_finish(encoder))
        takeInformation()
      }
      return .accepted
    }
    guard !isDraining else { throw MediaError(.invalidArgument, "audio came after the end") }
    let bytes = channelCount * sampleFormat.bytesPerSample
    guard frame.kind == .audio, frame.sampleFormat == sampleFormat,
      frame.sampleRate == track.sampleRate, frame.channelLayout.channelCount == channelCount,
      let plane = frame.planes.first, frame.sampleCount >= 0,
      plane.stride >= frame.sampleCount * bytes
    else {
      throw MediaError(
        .invalidArgument,
        "audio is \(frame.sampleFormat) of \(frame.channelLayout) at \(frame.sampleRate) Hz; the "
          + "encoder was opened for \(sampleFormat) of \(channelCount.counting("channel")) at "
          + "\(track.sampleRate)")
    }
    if time == nil { time = frame.pts.map { inputTimeBase.convert($0, to: track.timeBase) } ?? 0 }
    try withExtendedLifetime(frame.buffer) { () throws(MediaError) in
      for start in stride(from: 0, to: frame.sampleCount, by: Self.stepSize) {
        let count = min(Self.stepSize, frame.sampleCount - start)
        try encode(plane.base + start * bytes, count: count)
      }
    }
    return .accepted
  }

  private func encode(_ input: UnsafeRawPointer, count: Int) throws(MediaError) {
    guard let target = samples.baseAddress else { return }
    if sampleFormat == .s16 {
      cflac_widen_16(
        target, input.assumingMemoryBound(to: Int16.self), count * channelCount, shift)
    } else {
      cflac_widen_32(
        target, input.assumingMemoryBound(to: Int32.self), count * channelCount, shift)
    }
    try check(FLAC__stream_encoder_process_interleaved(encoder, target, UInt32(count)))
  }

  private func check(_ result: FLAC__bool) throws(MediaError) {
    guard result == 0 else { return }
    throw MediaError(
      .pluginFailure, "libFLAC could not encode the audio",
      cause: String(cString: FLAC__stream_encoder_get_resolved_state_string(encoder)))
  }

  /// Takes over the values of STREAMINFO that are known at the end.
  private func takeInformation() {
    guard let information = output.information, var info = try? FLACStreamInfo(track.extradata)
    else { return }
    info.minimumBlockSize = UInt16(clamping: information.minimum_block)
    info.maximumBlockSize = UInt16(clamping: information.maximum_block)
    info.minimumFrameSize = information.minimum_frame
    info.maximumFrameSize = information.maximum_frame
    info.sampleCount = information.samples
    info.md5 = withUnsafeBytes(of: information.md5) { Array($0) }
    track.extradata = info.bytes
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let frame = output.frames.popFirst() else { return isDraining ? .end : .needsInput }
    let start = time ?? 0
    time = start.addingClamped(Int64(frame.sampleCount))
    return .value(
      Packet(
        track: 0, pts: start, dts: start, duration: Int64(frame.sampleCount), flags: .key,
        payload: .bytes(frame.bytes)))
  }
}

/// The output of libFLAC, which its callbacks collect.
private final class EncoderOutput {
  struct Frame {
    var bytes: MediaBuffer
    var sampleCount: UInt32
  }

  var frames: ArraySlice<Frame> = []
  var information: cflac_information?

  /// Callbacks, which must not be called after the end of this object.
  var receiver: cflac_receiver {
    cflac_receiver(
      context: Unmanaged.passUnretained(self).toOpaque(),
      frame: { context, bytes, count, sampleCount in
        guard let context else { return }
        let output = Unmanaged<EncoderOutput>.fromOpaque(context).takeUnretainedValue()
        let buffer = MediaBuffer(copying: UnsafeRawBufferPointer(start: bytes, count: count))
        output.frames.append(Frame(bytes: buffer, sampleCount: sampleCount))
      },
      information: { context, information in
        guard let context else { return }
        Unmanaged<EncoderOutput>.fromOpaque(context).takeUnretainedValue().information =
          information.pointee
      })
  }
}
