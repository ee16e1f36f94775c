public import RespoolMedia

/// Writes JPEG files (ITU-T T.81, JFIF) with the `mjpeg` encoder of a plugin.
public enum JPEGWriter {
  /// Encodes a 24-bit RGB image as 4:4:4 with full range and the BT.601 matrix, as JFIF asks for.
  ///
  /// - Throws: `unsupported` if no plugin encodes `mjpeg`, `invalidArgument` for another pixel format.
  public static func bytes(_ image: PixelBuffer, registry: PluginRegistry) throws(MediaError)
    -> [UInt8]
  {
    let source = image.frame
    guard source.pixelFormat == .rgb24, source.width > 0, source.height > 0 else {
      throw MediaError(
        .invalidArgument, "JPEG needs 24-bit RGB, not \(source.pixelFormat)")
    }
    guard let factory = registry.encoders(for: "mjpeg").first else {
      throw MediaError(
        .unsupported, "no plugin encodes mjpeg, which JPEG needs; write PNG instead",
        detail: .encoderNotFound)
    }
    var color = source.color
    (color.matrix, color.range, color.chromaLocation) = (5, .full, .center)
    let videoFormat = VideoFormat(
      pixelFormat: .yuv444p, width: source.width, height: source.height, color: color)
    var frame = try FrameConverter(from: VideoFormat(source), to: videoFormat).convert(source)
    frame.pts = 0
    var track = TrackDescription(kind: .video, codec: "mjpeg", timeBase: Rational(1, 25))
    (track.width, track.height) = (source.width, source.height)
    (track.pixelFormat, track.color) = (.yuv444p, frame.color)
    (track.frameRate, track.sampleAspect) = (Rational(25, 1), Rational(1, 1))
    let encoder = try registry.openEncoder(factory, EncoderSettings(track: track))
    // A new encoder accepts one frame and the end of the stream before its packet is received.
    _ = try encoder.send(frame)
    _ = try encoder.send(nil)
    guard case .value(let packet) = try encoder.receive(), let buffer = packet.buffer,
      buffer.count > 2
    else {
      throw MediaError(.pluginFailure, "\(factory.label) gave no image for a frame")
    }
    return withExtendedLifetime(buffer) { Array(buffer.bytes) }
  }
}
