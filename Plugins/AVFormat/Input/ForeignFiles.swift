import RespoolPlugin

/// Formats of libavformat that are refused because they refer to other files or the network.
///
/// A plugin reads only its source.
enum ForeignFiles {
  private static let playlists: Set<String> = [
    "concat", "dash", "ffmetadata", "hls", "imf", "image2", "image2pipe", "rtp", "rtsp", "sap",
    "sdp", "vobsub", "webm_dash_manifest", "data", "lavfi",
  ]
  /// Formats that libavformat detects by file name only, so that any text would count as an image.
  private static let text: Set<String> = ["adf", "bin", "idf", "tty", "xbin"]

  static func check(format: String) throws(MediaError) {
    if playlists.contains(format) {
      throw MediaError(
        .unsupported,
        "a \(format) file only refers to other files, which are not opened; open those directly")
    }
    if text.contains(format) {
      throw MediaError(
        .unsupported, "not a media file that can be read: the content looks like text")
    }
  }
}
