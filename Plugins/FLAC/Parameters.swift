import CFLAC
import RespoolPlugin

/// The settings of a libFLAC encoder.
struct Parameters {
  /// Bits of an audio sample in the stream.
  let bitsPerSample: Int
  private let settings: EncoderSettings

  /// Checks the settings.
  init(_ settings: EncoderSettings) throws(MediaError) {
    let about = FLACEncoder.description
    try settings.checkOptions(about.options, of: "libFLAC")
    let track = settings.track
    guard track.codec == "flac" else {
      throw MediaError(.unsupported, "libFLAC encodes flac, not \(track.codec)")
    }
    guard about.sampleFormats.contains(track.sampleFormat) else {
      throw MediaError(
        .unsupported, "libFLAC does not take \(track.sampleFormat); it takes s16 and s32")
    }
    let count = track.channelLayout.channelCount
    guard (1...Int(FLAC__MAX_CHANNELS)).contains(count) else {
      throw MediaError(
        .unsupported,
        "there are \(count.counting("channel")); FLAC takes 1 to \(FLAC__MAX_CHANNELS)")
    }
    // Frames state up to 655,350 Hz; STREAMINFO alone states more (RFC 9639 9.1.2).
    guard (1...655_350).contains(track.sampleRate) else {
      throw MediaError(
        .unsupported, "the sample rate is \(track.sampleRate); FLAC takes 1 to 655350 Hz")
    }
    self.settings = settings
    bitsPerSample = Self.depth(of: track)
  }

  /// Returns the depth that the track states, as far as its format has it: 16 or 24 if it states none.
  private static func depth(of track: TrackDescription) -> Int {
    let (range, usual) = track.sampleFormat == .s16 ? (4...16, 16) : (17...32, 24)
    return range.contains(track.bitsPerSample) ? track.bitsPerSample : usual
  }

  /// Makes and opens an encoder, which the receiver must delete.
  ///
  /// `receiver` must live as long as the encoder.
  func open(_ receiver: UnsafeMutablePointer<cflac_receiver>) throws(MediaError)
    -> UnsafeMutablePointer<FLAC__StreamEncoder>
  {
    // Blocks of over 4,608 samples, orders above 12 and odd rates are outside the subset for streaming (RFC 9639 7).
    var status = FLAC__STREAM_ENCODER_INIT_STATUS_OK
    for isSubset in [true, false] {
      guard let encoder = FLAC__stream_encoder_new() else {
        throw MediaError(.limitExceeded, "there is no memory for an encoder of FLAC")
      }
      configure(encoder)
      FLAC__stream_encoder_set_streamable_subset(encoder, isSubset ? 1 : 0)
      status = cflac_encoder_open(encoder, receiver)
      if status == FLAC__STREAM_ENCODER_INIT_STATUS_OK { return encoder }
      FLAC__stream_encoder_delete(encoder)
      guard status == FLAC__STREAM_ENCODER_INIT_STATUS_NOT_STREAMABLE else { break }
    }
    throw MediaError(
      .invalidArgument, "libFLAC could not be opened with these settings",
      cause: Self.reason(status))
  }

  private func configure(_ encoder: UnsafeMutablePointer<FLAC__StreamEncoder>) {
    func number(_ name: String) -> UInt32? { settings[option: name].flatMap { UInt32($0) } }
    func flag(_ name: String) -> FLAC__bool? {
      settings[option: name].map { $0 == "true" ? 1 : 0 }
    }
    let track = settings.track
    FLAC__stream_encoder_set_channels(encoder, UInt32(track.channelLayout.channelCount))
    FLAC__stream_encoder_set_bits_per_sample(encoder, UInt32(bitsPerSample))
    FLAC__stream_encoder_set_sample_rate(encoder, UInt32(track.sampleRate))
    // The level comes first, because it sets most of the others.
    FLAC__stream_encoder_set_compression_level(encoder, number("compression-level") ?? 5)
    if let size = number("block-size") { FLAC__stream_encoder_set_blocksize(encoder, size) }
    // Levels ask for joint stereo, which libFLAC refuses for other channel counts if it is adaptive.
    if let stereo = settings[option: "stereo"], track.channelLayout.channelCount == 2 {
      FLAC__stream_encoder_set_do_mid_side_stereo(encoder, stereo == "independent" ? 0 : 1)
      FLAC__stream_encoder_set_loose_mid_side_stereo(encoder, stereo == "adaptive" ? 1 : 0)
    }
    // Windows are set before orders: the text is read by libFLAC, which skips what it does not know.
    if let windows = settings[option: "apodization"] {
      FLAC__stream_encoder_set_apodization(encoder, windows)
    }
    if let order = number("max-lpc-order") {
      FLAC__stream_encoder_set_max_lpc_order(encoder, order)
    }
    if let bits = number("lpc-precision") {
      FLAC__stream_encoder_set_qlp_coeff_precision(encoder, bits)
    }
    if let search = flag("lpc-precision-search") {
      FLAC__stream_encoder_set_do_qlp_coeff_prec_search(encoder, search)
    }
    if let search = flag("exhaustive-search") {
      FLAC__stream_encoder_set_do_exhaustive_model_search(encoder, search)
    }
    if let order = number("min-partition-order") {
      FLAC__stream_encoder_set_min_residual_partition_order(encoder, order)
    }
    if let order = number("max-partition-order") {
      FLAC__stream_encoder_set_max_residual_partition_order(encoder, order)
    }
    if let verify = flag("verify") { FLAC__stream_encoder_set_verify(encoder, verify) }
  }

  private static func reason(_ status: FLAC__StreamEncoderInitStatus) -> String {
    switch status {
    case FLAC__STREAM_ENCODER_INIT_STATUS_INVALID_BLOCK_SIZE: "the block size is invalid"
    case FLAC__STREAM_ENCODER_INIT_STATUS_BLOCK_SIZE_TOO_SMALL_FOR_LPC_ORDER:
      "block-size is less than max-lpc-order"
    case FLAC__STREAM_ENCODER_INIT_STATUS_INVALID_QLP_COEFF_PRECISION:
      "lpc-precision takes 0 and 5 to 15"
    case FLAC__STREAM_ENCODER_INIT_STATUS_INVALID_BITS_PER_SAMPLE:
      "this libFLAC does not take this bit depth"
    case FLAC__STREAM_ENCODER_INIT_STATUS_INVALID_SAMPLE_RATE:
      "this libFLAC does not take this sample rate"
    default: "libFLAC reports status \(status.rawValue)"
    }
  }
}
