import RespoolPlugin

extension AVFormatDemuxer {
  /// Returns an error if libavformat drops all packets of a selected track without reporting one.
  ///
  /// `nil` if there is no known reason.
  func droppedPacketsError() -> MediaError? {
    for (index, track) in media.tracks.enumerated() where isSelected[index] && track.codec == "flac"
    {
      // Before FFmpeg 6, libavformat's FLAC parser supports at most 24 bits.
      guard let bits = try? FLACStreamInfo(track.extradata).bitsPerSample, bits > 24 else {
        continue
      }
      return MediaError(
        .unsupported,
        "FLAC of \(bits) bits per sample is not supported by this version of libavformat",
        track: index)
    }
    return nil
  }
}
