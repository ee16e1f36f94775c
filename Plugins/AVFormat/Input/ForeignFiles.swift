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

  /// Formats of which another plugin, the value, reads more than libavformat: raw photos, which libavcodec decodes
  /// wrongly, and SubRip, of which libavformat loses text and fractions of seconds.
  private static let elsewhere = ["tiff_pipe": "Images", "srt": "Subtitles"]

  static func check(format: String) throws(MediaError) {
    if playlists.contains(format) {
      throw MediaError(
        .unsupported,
        "a \(format) file only refers to other files, which are not opened; open those directly")
    }
    if let plugin = elsewhere[format] {
      throw MediaError(.unsupported, "the plugin \(plugin) reads such files (\(format))")
    }
    if text.contains(format) {
      throw MediaError(
        .unsupported, "not a media file that can be read: the content looks like text")
    }
  }
}
