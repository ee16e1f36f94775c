import RespoolPlugin

/// A pixel format that SVT-AV1 encodes: 4:2:0 with 8 or 10 bits.
struct FrameFormat {
  let pixelFormat: PixelFormat
  let bitDepth: Int

  /// All formats in order of preference.
  static let all = [
    FrameFormat(pixelFormat: .yuv420p, bitDepth: 8),
    FrameFormat(pixelFormat: .yuv420p10le, bitDepth: 10),
  ]

  /// Returns the format of a track; throws if its format or its size is not possible.
  static func of(_ track: TrackDescription) throws(MediaError) -> FrameFormat {
    guard let found = all.first(where: { $0.pixelFormat == track.pixelFormat }) else {
      throw MediaError(
        .unsupported,
        "SVT-AV1 does not take \(track.pixelFormat); it takes "
          + all.map { $0.pixelFormat.name }.joined(separator: ", "))
    }
    guard (64...16384).contains(track.width), (64...8704).contains(track.height) else {
      throw MediaError(
        .unsupported,
        "the frame size is \(track.width)x\(track.height); SVT-AV1 takes widths from 64 to 16384 and heights from "
          + "64 to 8704")
    }
    return found
  }
}
