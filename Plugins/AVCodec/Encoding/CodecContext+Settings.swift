import CAVCodec
import FFmpeg
import RespoolPlugin

extension CodecContext {
  /// Throws `unsupported` for more pixels than libavutil allows (av_image_check_size).
  static func check(width: Int, height: Int) throws(MediaError) {
    let (pixels, isTooLarge) = (width + 128).multipliedReportingOverflow(by: height + 128)
    guard isTooLarge || pixels >= Int(Int32.max) / 8 else { return }
    throw MediaError(
      .unsupported,
      "the frame size is \(width)x\(height); libavcodec takes about 268 million pixels at most, such as "
        + "16384x16128")
  }

  func configureEncoder(video track: TrackDescription, timeBase: Rational) throws(MediaError) {
    guard (1...32768).contains(track.width), (1...32768).contains(track.height) else {
      throw MediaError(
        .invalidArgument,
        "the frame size is \(track.width)x\(track.height); each side can be 1 to 32768")
    }
    try Self.check(width: track.width, height: track.height)
    pointer.pointee.width = Int32(track.width)
    pointer.pointee.height = Int32(track.height)
    pointer.pointee.pix_fmt = track.pixelFormat.ffmpeg
    pointer.pointee.time_base = timeBase.ffmpeg
    if track.frameRate.isPositive { pointer.pointee.framerate = track.frameRate.ffmpeg }
    if track.sampleAspect.isPositive {
      pointer.pointee.sample_aspect_ratio = track.sampleAspect.ffmpeg
    }
    set(track.color)
  }

  func configureEncoder(audio track: TrackDescription) throws(MediaError) {
    let layout = track.channelLayout.resolved
    guard (1...64).contains(layout.channelCount), track.sampleRate > 0 else {
      throw MediaError(
        .invalidArgument,
        "audio of \(layout.channelCount) channels at \(track.sampleRate) Hz; "
          + "1 to 64 channels can be encoded")
    }
    pointer.pointee.sample_rate = Int32(clamping: track.sampleRate)
    pointer.pointee.sample_fmt = track.sampleFormat.ffmpeg
    pointer.pointee.time_base = AVRational(num: 1, den: Int32(clamping: track.sampleRate))
    ffmpeg_set_layout(&pointer.pointee.ch_layout, Int32(layout.channelCount), layout.mask)
    if track.bitsPerSample > 0 {
      pointer.pointee.bits_per_raw_sample = Int32(clamping: track.bitsPerSample)
    }
  }

  /// Sets a private option of the codec.
  func set(_ name: String, to value: String?) throws(MediaError) {
    guard let value else { return }
    let word = value == "true" ? "1" : value == "false" ? "0" : value
    guard av_opt_set(pointer, name, word, AV_OPT_SEARCH_CHILDREN) >= 0 else {
      throw MediaError(.invalidArgument, "\(self.name) does not take \"\(value)\" as \(name)")
    }
  }

  /// Requests a constant quality on FFmpeg's quantizer scale.
  func set(quality: Double?) {
    guard let quality else { return }
    pointer.pointee.flags |= AV_CODEC_FLAG_QSCALE
    pointer.pointee.global_quality = Int32(
      min(max(quality, 0), 1000) * Double(FF_QP2LAMBDA))
  }
}
