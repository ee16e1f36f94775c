import CConversion
import RespoolMedia

/// Precision of a change of sample rate.
package enum ResamplingQuality: Hashable, Sendable {
  /// 20 bits, 91 % of the band: more than 16-bit audio can hold.
  case high
  /// 28 bits, 91 % of the band, in double precision; several times slower.
  case veryHigh
}

/// A soxr stream for planar audio.
///
/// soxr compensates for the delay of its filter. The caller determines the total number of output samples.
final class Resampler {
  private let handle: soxr_t
  private let channels: Int
  let isDouble: Bool

  init(from: Int, to: Int, channels: Int, isDouble: Bool, quality: ResamplingQuality)
    throws(MediaError)
  {
    self.channels = channels
    self.isDouble = isDouble
    var format = soxr_io_spec(
      isDouble ? SOXR_FLOAT64_S : SOXR_FLOAT32_S, isDouble ? SOXR_FLOAT64_S : SOXR_FLOAT32_S)
    // By default the filter attenuates the upper half of the band by up to 0.01 dB; this one by less than
    // 0.0001 dB.
    var quality = soxr_quality_spec(
      UInt(quality == .high ? SOXR_20_BITQ : SOXR_28_BITQ), UInt(SOXR_ROLLOFF_NONE))
    var runtime = soxr_runtime_spec(1)
    var error: soxr_error_t?
    let handle = soxr_create(
      Double(from), Double(to), UInt32(channels), &error, &format, &quality, &runtime)
    guard let handle, error == nil else {
      throw MediaError(
        .unsupported, "audio cannot be resampled from \(from) to \(to) Hz",
        cause: error.map { String(cString: $0) })
    }
    self.handle = handle
  }

  deinit { soxr_delete(handle) }

  /// Discards all input and state.
  func reset() { soxr_clear(handle) }

  /// Feeds `count` audio samples of each channel and takes up to `capacity`; `nil` as `input` ends the
  /// stream.
  ///
  /// The pointers must have memory for that many audio samples of the stream's type in each channel.
  func process(
    _ input: [UnsafeMutableRawPointer]?, count: Int, into output: [UnsafeMutableRawPointer],
    capacity: Int
  ) throws(MediaError) -> (used: Int, made: Int) {
    var used = 0
    var made = 0
    let inputs: [UnsafeRawPointer?]? = input?.map { UnsafeRawPointer($0) }
    let outputs: [UnsafeMutableRawPointer?] = output.map { $0 }
    let error: soxr_error_t? = outputs.withUnsafeBufferPointer { outputs in
      let target = UnsafeMutableRawPointer(mutating: outputs.baseAddress)
      guard let inputs else {
        return soxr_process(handle, nil, 0, nil, target, capacity, &made)
      }
      return inputs.withUnsafeBufferPointer {
        soxr_process(handle, $0.baseAddress, count, &used, target, capacity, &made)
      }
    }
    if let error {
      throw MediaError(.internal, "soxr failed", cause: String(cString: error))
    }
    return (used, made)
  }
}
