import RespoolPlugin

/// Formats that libavformat knows and that are refused: what they name lies in other files or on the
/// network, and a plugin reads nothing but its source.
enum ForeignFiles {
  private static let playlists: Set<String> = [
    "concat", "dash", "ffmetadata", "hls", "imf", "image2", "image2pipe", "rtp", "rtsp", "sap",
    "sdp", "vobsub", "webm_dash_manifest", "data", "lavfi",
  ]
  /// Matched by the name of the file alone, so that any text would pass for a picture.
  private static let text: Set<String> = ["adf", "bin", "idf", "tty", "xbin"]

  static func check(format: String) throws(MediaError) {
    if playlists.contains(format) {
      throw MediaError(
        .unsupported,
        "a \(format) file only points to other files, which are not opened; give those instead")
    }
    if text.contains(format) {
      throw MediaError(.unsupported, "not a media file that can be read: it looks like text")
    }
  }
}
