import Glibc
package import RespoolMedia

/// Estimate of an output's size by its settings and the bit rates of the source.
package struct ExportEstimate {
  /// Bit rate of the whole output without container overhead.
  ///
  /// Bits per second. `nil` if no track is written. It is the sum of the requested rates and the source's rates of
  /// copied tracks; other rates are estimated.
  let bitRate: Int64?
  /// Duration of the media, in nanoseconds; `nil` if it is unknown.
  private let duration: Int64?

  package init(_ settings: ResolvedSettings, _ media: MediaDescription) {
    let rates = Self.rates(of: media)
    var bits = 0.0
    for track in settings.outputTracks {
      let source = media.tracks[track.source]
      switch track.action {
      case .convertVideo(let video):
        bits +=
          video.bitRate.map(Double.init) ?? Self.rate(of: video, source, rates[track.source])
      case .convertAudio(let audio):
        bits += audio.bitRate.map(Double.init) ?? Self.rate(of: audio)
      case .convertCaptions, .passThrough, .drop: bits += rates[track.source]
      }
    }
    bitRate = bits >= 1 && bits < 9e18 ? Int64(bits) : nil
    duration = media.duration
  }

  /// Size of the output without container overhead, in bytes; `nil` if it is unknown.
  package var length: Int64? {
    guard let duration, let bitRate else { return nil }
    let length = Double(bitRate) / 8 * Double(duration) / 1e9
    return length < 9e18 ? Int64(length) : nil
  }

  /// Returns the duration of the media that fits into a number of bytes, or of all media; 0 bytes mean no limit.
  ///
  /// Indefinite if it is unknown.
  func duration(within limit: Int64) -> MediaTime {
    guard let duration else { return .indefinite }
    let whole = MediaTime(value: duration, timescale: 1_000_000_000)
    guard limit > 0 else { return whole }
    guard let bitRate else { return .indefinite }
    let seconds = Double(limit) * 8 / Double(bitRate)
    return min(whole, MediaTime(seconds: seconds, preferredTimescale: 1000))
  }

  /// Bits per pixel of a typical film in H.264 at the quality 21.
  ///
  /// A source with more is assumed to be coded with more bits than its content needs.
  private static let usualBits = 0.05

  /// Returns the estimated bit rate of an encoder with a quality setting.
  ///
  /// The bits per pixel of the source, converted to H.264, are the best measure of the content. Above `usualBits`
  /// only a part of them is needed, which the geometric mean estimates well. Smaller frames need more bits per
  /// pixel.
  ///
  /// The numbers were fitted to 16 clips of natural and drawn video in H.264 and VP9: the estimate was 0.5 to 1.7
  /// times the actual rate. It may be further off for other codecs and for content unlike those clips.
  private static func rate(
    of video: VideoConversion, _ source: TrackDescription, _ rate: Double
  ) -> Double {
    let pixels = Double(video.width) * Double(video.height)
    let frames = video.frameRate.isPositive ? min(video.frameRate.doubleValue, 240) : 30
    var bits = usualBits
    let sourcePixels = Double(source.width) * Double(source.height)
    if let yield = yields[source.codec], rate > 0, sourcePixels > 0 {
      let sourceFrames = source.frameRate.isPositive ? source.frameRate.doubleValue : frames
      bits = rate * yield / sourcePixels / sourceFrames
      if pixels < sourcePixels { bits *= (sourcePixels / pixels).squareRoot().squareRoot() }
      if bits > usualBits { bits = (bits * usualBits).squareRoot() }
    }
    let (usual, half) = scales[video.codec] ?? (21, 6)
    let quality = video.quality ?? defaultQualities[video.codec] ?? usual
    let finer = max(-8, min(8, (usual - quality) / half))
    return bits * pixels * frames * exp2(finer)
  }

  /// Number of H.264 bits with the quality of one bit of a codec.
  ///
  /// Bit rates of other codecs do not measure the content.
  private static let yields = [
    "h264": 1.0, "hevc": 1.3, "vp9": 1.25, "av1": 1.5, "vp8": 0.9, "vc1": 0.8, "wmv3": 0.8,
    "mpeg4": 0.6, "h263": 0.6, "flv1": 0.6, "msmpeg4v3": 0.6, "mpeg2video": 0.5, "mpeg1video": 0.5,
  ]

  /// Quality value that yields `usualBits`, and the change of it that halves the bits.
  private static let scales: [String: (usual: Double, half: Double)] = [
    "h264": (21, 6), "vp8": (20, 10), "vp9": (25, 12),
  ]

  /// Quality values that encoders use by default.
  private static let defaultQualities = ["h264": 23.0, "vp8": 32, "vp9": 32]

  /// Returns the estimated bit rate of audio without a requested rate.
  private static func rate(of audio: AudioConversion) -> Double {
    let channels = Double(max(1, audio.channelLayout.channelCount))
    let samples = Double(audio.sampleRate) * channels
    if audio.codec.hasPrefix("pcm_") {
      let width = audio.codec.drop { !$0.isNumber }.prefix { $0.isNumber }
      return samples * (Double(width) ?? 8)
    }
    // Lossless coding leaves about 0.6 of 16 bits.
    return ["flac", "alac", "wavpack"].contains(audio.codec) ? samples * 9.6 : channels * 64_000
  }

  /// Returns the bit rates of a source's tracks, in bits per second, as far as they are known.
  ///
  /// Unknown rates are estimated from the bit rate of the file. Audio gets 64 kb/s per channel, at most half if
  /// there is video; video gets the rest.
  private static func rates(of media: MediaDescription) -> [Double] {
    var rates = media.tracks.map { Double(max(0, $0.bitRate)) }
    let unknown = media.tracks.indices.filter { rates[$0] == 0 }
    let audioTracks = unknown.filter { media.tracks[$0].kind == .audio }
    let videoTracks = unknown.filter { media.tracks[$0].isMovingPicture }
    var left = max(0, Double(media.bitRate) - rates.reduce(0, +))
    let channels = audioTracks.map { Double(max(1, media.tracks[$0].channelLayout.channelCount)) }
    let all = channels.reduce(0, +)
    let share = videoTracks.isEmpty ? left : min(all * 64_000, left / 2)
    for (index, count) in zip(audioTracks, channels) { rates[index] = share * count / all }
    if !audioTracks.isEmpty { left -= share }
    for index in videoTracks { rates[index] = left / Double(videoTracks.count) }
    return rates
  }
}
