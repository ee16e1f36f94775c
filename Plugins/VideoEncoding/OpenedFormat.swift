package import RespoolMedia

/// The format for which an encoder of video was opened, and that each of its frames must have.
package struct OpenedFormat {
  private let pixelFormat: PixelFormat
  private let width: Int
  private let height: Int
  private let planeCount: Int

  package init(_ track: TrackDescription) {
    pixelFormat = track.pixelFormat
    (width, height) = (track.width, track.height)
    planeCount = track.pixelFormat.layout?.planeCount ?? 0
  }

  /// Throws `invalidArgument` if a frame has another format, another size or too few planes.
  package func check(_ frame: Frame) throws(MediaError) {
    guard frame.kind == .video, frame.pixelFormat == pixelFormat, frame.width == width,
      frame.height == height, frame.planes.count >= planeCount
    else {
      throw MediaError(
        .invalidArgument,
        "a frame is \(frame.pixelFormat) of \(frame.width)x\(frame.height); the encoder was "
          + "opened for \(pixelFormat) of \(width)x\(height)")
    }
  }
}
