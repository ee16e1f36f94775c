import RespoolPlugin

extension AVFormatDemuxer {
  /// Why none of the wanted tracks has a packet, where libavformat drops them without a word.
  func unreadable() -> MediaError? {
    for (index, track) in media.tracks.enumerated() where wanted[index] && track.codec == "flac" {
      // What libavformat takes FLAC apart with knows up to 24 bits before FFmpeg 6.
      guard let bits = try? FLACStreamInfo(track.extradata).bitsPerSample, bits > 24 else {
        continue
      }
      return MediaError(
        .unsupported,
        "FLAC of \(bits) bits a sample is not known to this version of libavformat, which finds no frame in it",
        track: index)
    }
    return nil
  }
}
