import RespoolPlugin

/// Formats of libavformat that are refused, because they refer to other files or because another plugin reads them.
///
/// A plugin reads only its source.
enum ForeignFiles {
  private static let playlists: Set<String> = [
    "concat", "dash", "ffmetadata", "hls", "imf", "image2", "image2pipe", "rtp", "rtsp", "sap",
    "sdp", "vobsub", "webm_dash_manifest", "data", "lavfi",
  ]
  /// Formats that libavformat detects by file name only, so that any text would count as an image, and one whose keys
  /// other JSON has too.
  private static let text: Set<String> = ["adf", "bin", "idf", "tty", "xbin", "tedcaptions"]

  /// Formats of which another plugin reads more than libavformat: it knows raw photos, which libavcodec decodes wrongly.
  private static let elsewhere: Set<String> = ["tiff_pipe"]

  static func check(format: String) throws(MediaError) {
    if playlists.contains(format) {
      throw MediaError(
        .unsupported,
        "a \(format) file only refers to other files, which are not opened; open those directly")
    }
    if elsewhere.contains(format) {
      throw MediaError(.unsupported, "the plugin Images reads such files (\(format))")
    }
    if text.contains(format) {
      throw MediaError(
        .unsupported, "not a media file that can be read: the content looks like text")
    }
  }
}
