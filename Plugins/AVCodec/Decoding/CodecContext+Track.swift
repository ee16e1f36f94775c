import CAVCodec
import FFmpeg
import RespoolPlugin

extension CodecContext {
  /// Maximum number of pixels of a frame (`Frame`: 32,768 a side).
  ///
  /// Larger frames are refused before memory is allocated.
  private static let maximumPixels: Int64 = 1 << 28

  var isVideo: Bool { codec.pointee.type == AVMEDIA_TYPE_VIDEO }

  /// Configures the context for decoding `track`.
  func configure(_ track: TrackDescription) throws(MediaError) {
    try set(extradata: track.extradata)
    pointer.pointee.codec_tag = track.codecTag
    pointer.pointee.pkt_timebase = track.timeBase.ffmpeg
    pointer.pointee.bit_rate = track.bitRate
    pointer.pointee.bits_per_coded_sample = Int32(clamping: track.bitsPerSample)
    if let profile = track.profile { pointer.pointee.profile = profile }
    if let level = track.level { pointer.pointee.level = level }
    // The host trims: decoders must report the samples to trim instead of removing them.
    pointer.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
    if track.disposition.contains(.stillImage) {
      try Self.check(width: max(0, track.width), height: max(0, track.height))
    }
    if isVideo { configureVideo(track) } else { try configureAudio(track) }
  }

  private func configureVideo(_ track: TrackDescription) {
    pointer.pointee.max_pixels = Self.maximumPixels
    pointer.pointee.width = Int32(clamping: track.width)
    pointer.pointee.height = Int32(clamping: track.height)
    if track.sampleAspect.isPositive {
      pointer.pointee.sample_aspect_ratio = track.sampleAspect.ffmpeg
    }
    if track.frameRate.isPositive { pointer.pointee.framerate = track.frameRate.ffmpeg }
    pointer.pointee.pix_fmt = track.pixelFormat.ffmpeg
    pointer.pointee.has_b_frames = Int32(clamping: min(16, track.reorderDepth))
    set(track.color)
    switch track.fieldOrder {
    case .unknown: break
    case .progressive: pointer.pointee.field_order = AV_FIELD_PROGRESSIVE
    case .topFirst: pointer.pointee.field_order = AV_FIELD_TT
    case .bottomFirst: pointer.pointee.field_order = AV_FIELD_BB
    }
  }

  /// Makes the decoder check checksums and the syntax, and report errors instead of concealing them.
  func reportDamage() {
    pointer.pointee.err_recognition |= AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER
    // The decoder of TIFF would call every tag an error that it does not know.
    if codec.pointee.id != AV_CODEC_ID_TIFF { pointer.pointee.err_recognition |= AV_EF_EXPLODE }
  }

  /// Sets the color properties, for decoding or encoding.
  func set(_ color: ColorDescription) {
    let color = color.ffmpeg
    pointer.pointee.color_primaries = color.primaries
    pointer.pointee.color_trc = color.transfer
    pointer.pointee.colorspace = color.matrix
    pointer.pointee.color_range = color.range
    pointer.pointee.chroma_sample_location = color.location
  }

  private func configureAudio(_ track: TrackDescription) throws(MediaError) {
    let channels = track.channelLayout.channelCount
    guard channels <= 64 else {
      throw MediaError(.unsupported, "\(channels) channels; at most 64 can be decoded")
    }
    pointer.pointee.sample_rate = Int32(clamping: track.sampleRate)
    pointer.pointee.sample_fmt = track.sampleFormat.ffmpeg
    pointer.pointee.block_align = Int32(clamping: track.blockAlign)
    pointer.pointee.frame_size = Int32(clamping: track.frameSize)
    if channels > 0 {
      ffmpeg_set_layout(
        &pointer.pointee.ch_layout, Int32(channels), track.channelLayout.mask)
    }
  }
}
