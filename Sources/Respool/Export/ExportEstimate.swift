import Glibc
package import RespoolMedia

/// Estimate of an output's size by its settings and the bit rates of the source.
package struct ExportEstimate {
  /// Bit rate of the whole output without the bytes of the container.
  ///
  /// Bits per second. `nil` if no track is written. It is the sum of the requested rates and the source's rates of
  /// copied tracks; other rates are estimated.
  let bitRate: Int64?
  /// Duration of the media, in nanoseconds; `nil` if it is unknown.
  private let duration: Int64?
  /// Greatest size in bytes; `nil` if the preset has no limit.
  private let limit: Int64?
  /// Bytes of the container.
  private let overhead: (fixed: Double, perSecond: Double)

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
    limit = settings.applied.fileSizeLimit
    overhead = Self.overhead(of: settings, media)
  }

  /// Returns the bytes that the container adds.
  ///
  /// MP4 stores 4 bytes for an audio packet and about 12 for a frame of video, and 500 bytes and 300 for each track, as
  /// measured. Other containers store about as much.
  private static func overhead(of settings: ResolvedSettings, _ media: MediaDescription) -> (
    fixed: Double, perSecond: Double
  ) {
    var (fixed, perSecond) = (500.0, 0.0)
    for track in settings.outputTracks {
      fixed += 300
      switch track.action {
      case .convertVideo(let video): perSecond += 12 * min(video.frameRate.doubleValue, 240)
      // AAC has 1024 samples in a packet.
      case .convertAudio(let audio): perSecond += 4 * Double(audio.sampleRate) / 1024
      case .passThrough:
        let source = media.tracks[track.source]
        perSecond +=
          source.isMovingPicture && source.frameRate.isPositive
          ? 12 * min(source.frameRate.doubleValue, 240) : 4 * Double(source.sampleRate) / 1024
      case .convertCaptions, .drop: break
      }
    }
    return (fixed, perSecond.isFinite ? max(0, perSecond) : 0)
  }

  /// Size of the output in bytes; `nil` if it is unknown.
  package var length: Int64? {
    guard let duration, let bitRate else { return nil }
    let seconds = Double(duration) / 1e9
    let length = (Double(bitRate) / 8 + overhead.perSecond) * seconds + overhead.fixed
    return length < 9e18 ? min(Int64(length), limit ?? .max) : nil
  }

  /// Returns the duration of the media that fits into a number of bytes, or of all media; 0 bytes mean no limit.
  ///
  /// Indefinite if it is unknown.
  func duration(within limit: Int64) -> MediaTime {
    guard let duration else { return .indefinite }
    let whole = MediaTime(value: duration, timescale: 1_000_000_000)
    guard limit > 0 else { return whole }
    guard let bitRate else { return .indefinite }
    let perSecond = Double(bitRate) / 8 + overhead.perSecond
    let seconds = max(0, Double(limit) - overhead.fixed) / perSecond
    return min(whole, MediaTime(seconds: seconds, preferredTimescale: 1000))
  }

  /// Bits per pixel of a source in H.264 above which it is assumed to have more bits than its content needs.
  private static let knee = 0.1
  /// Bits per pixel of an output in H.264 at the quality 21 whose source has `knee`.
  private static let usualBits = 0.085

  /// Returns the estimated bit rate of an encoder with a quality setting.
  ///
  /// The bits per pixel of the source, converted to H.264, are the best measure of the content. Outputs have fewer of
  /// the bits the more the source has. Smaller frames need more bits per pixel.
  ///
  /// The numbers were fitted to 338 outputs of 169 clips with the presets web-480p and web-720p. The estimate of the
  /// video was 0.53 to 2.1 times the actual rate for 80 % of the clips, with a median of 0.99.
  private static func rate(
    of video: VideoConversion, _ source: TrackDescription, _ rate: Double
  ) -> Double {
    let pixels = Double(video.width) * Double(video.height)
    let frames = video.frameRate.isPositive ? min(video.frameRate.doubleValue, 240) : 30
    var bits = usualBits
    let sourcePixels = Double(source.width) * Double(source.height)
    if let yield = yields[source.codec], rate > 0, sourcePixels > 0 {
      let sourceFrames = source.frameRate.isPositive ? source.frameRate.doubleValue : frames
      var part = rate * yield / sourcePixels / sourceFrames / knee
      if pixels < sourcePixels { part *= pow(sourcePixels / pixels, 0.2) }
      bits *= pow(part, part < 1 ? 0.85 : 0.6)
    }
    let (usual, half) = scales[video.codec] ?? (21, 6)
    let quality = video.quality ?? defaultQualities[video.codec] ?? usual
    let finer = max(-8, min(8, (usual - quality) / half))
    return bits * pixels * frames * exp2(finer)
  }

  /// Number of H.264 bits with the quality of one bit of a codec.
  private static let yields = [
    "h264": 1.0, "hevc": 1.16, "vp9": 1.13, "av1": 1.13, "vp8": 1.45, "theora": 1.2, "vc1": 0.75,
    "wmv2": 0.75, "wmv3": 0.75, "mpeg4": 0.75, "h263": 0.75, "flv1": 0.75, "msmpeg4v2": 0.75,
    "msmpeg4v3": 0.75, "mpeg2video": 0.42, "mpeg1video": 0.42, "gif": 0.24, "mjpeg": 0.15,
    "prores": 0.15, "dvvideo": 0.15, "png": 0.05, "ffv1": 0.05, "rawvideo": 0.02,
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
