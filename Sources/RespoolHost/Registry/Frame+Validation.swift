import CRespool
import RespoolMedia

extension Frame {
  /// Sample rates allowed for decoded audio, in Hz.
  ///
  /// 6,144,000 is 32 times 192 kHz.
  package static let sampleRates = 1...6_144_000

  /// Reason why a frame from a plugin is invalid; `nil` if it is valid.
  ///
  /// Checks only what needs no access to the frame's memory.
  package var problem: String? {
    switch kind {
    case .video:
      guard (1...32768).contains(width), (1...32768).contains(height) else {
        return "the frame size is \(width)x\(height); each side must be 1 to 32768"
      }
      guard let layout = pixelFormat.layout else { return "the pixel format is unknown" }
      for plane in 0..<layout.planeCount where layout.height(ofPlane: plane, for: height) > 1 {
        let row = layout.rowBytes(ofPlane: plane, for: width)
        let stride = planes[plane].stride
        guard stride.magnitude >= UInt(row), stride.magnitude <= 1 << 32 else {
          return "plane \(plane) has a stride of \(stride.counting("byte")) for rows of \(row)"
        }
      }
    case .audio:
      guard (1...Int(RSP_MAX_CHANNELS)).contains(channelLayout.channelCount) else {
        return
          "the number of channels is \(channelLayout.channelCount), not 1 to \(RSP_MAX_CHANNELS)"
      }
      guard Self.sampleRates.contains(sampleRate) else {
        return "the sample rate is \(sampleRate)"
      }
      // Ten minutes at 192 kHz; a greater number is an uninitialized value.
      guard (0...115_200_000).contains(sampleCount) else {
        return "the number of samples is \(sampleCount)"
      }
      if planes.count > Int(RSP_MAX_PLANES),
        planes[0].stride < sampleCount * sampleFormat.bytesPerSample
      {
        return "the channels are only \(planes[0].stride.counting("byte")) apart"
      }
    }
    return nil
  }
}
