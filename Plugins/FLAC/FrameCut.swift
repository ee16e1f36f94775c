import RespoolPlugin

/// Part of a frame, for which it is decoded and encoded again.
struct FrameCut {
  private let track: TrackDescription

  init(_ track: TrackDescription) { self.track = track }

  /// Returns a frame with `count` audio samples of each channel after the first `front` of a packet.
  func cut(_ packet: Packet, front: Int, count: Int) throws(MediaError) -> [UInt8] {
    let decoder = try FLACDecoder(settings: DecoderSettings(track: track))
    _ = try decoder.send(packet)
    guard case .value(var frame) = try decoder.receive(), let plane = frame.planes.first,
      front >= 0, count > 0, frame.sampleCount >= front + count
    else {
      throw MediaError(.malformed, "a frame of FLAC has fewer audio samples than its header states")
    }
    let start = front * frame.channelLayout.channelCount * frame.sampleFormat.bytesPerSample
    frame.planes[0] = Frame.Plane(base: plane.base + start, stride: plane.stride - start)
    frame.sampleCount = count
    var input = track
    input.sampleFormat = frame.sampleFormat
    input.sampleRate = frame.sampleRate
    input.channelLayout = frame.channelLayout
    input.bitsPerSample = Int(try FLACStreamInfo(track.extradata).bitsPerSample)
    // One frame takes all of it.
    let blockSize = max(16, count)
    let encoder = try FLACEncoder(
      settings: EncoderSettings(
        track: input,
        options: [
          PluginOption("block-size", "\(blockSize)"), PluginOption("max-lpc-order", "0"),
        ]))
    _ = try encoder.send(frame)
    _ = try encoder.send(nil)
    guard case .value(let result) = try encoder.receive(), let buffer = result.buffer else {
      throw MediaError(.pluginFailure, "libFLAC returned no frame of \(count) audio samples")
    }
    return buffer.withBytes { Array($0) }
  }
}
