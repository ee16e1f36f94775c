import RespoolMedia

/// Advice for a preset whose codec no installed plugin encodes.
struct EncoderAdvice {
  let available: AvailablePlugins
  let kind: TrackDescription.Kind

  /// Returns the second half of a sentence: a corrected spelling, or the available codecs and a library.
  ///
  /// A plugin made with that library would add the missing codec.
  func text(for codec: String) -> String {
    let installed = installedCodecs
    if let library = Self.libraries[codec] {
      let kindText = kind == .video ? "video" : "audio"
      guard Self.isVideo(codec) == (kind == .video) else {
        return "\(codec) is not a codec for \(kindText)"
      }
      return
        "installed plugins encode \(Spelling.list(installed)) for \(kindText); a plugin that uses "
        + "\(library) would add \(codec) (respool plugins new starts one)"
    }
    // Corrections are only codecs of the same media type that are installed or can be installed.
    let known = Self.libraries.keys.filter { Self.isVideo($0) == (kind == .video) }
    if let nearest = Spelling.nearest(to: codec, among: installed + known.sorted()) {
      return "did you mean \(nearest)?"
    }
    return installed.isEmpty
      ? "install a plugin that does" : "there are encoders of \(Spelling.list(installed))"
  }

  /// Codecs of this media type that installed plugins encode, best encoder first.
  ///
  /// Those of PCM have the one name that presets use for them.
  private var installedCodecs: [String] {
    var seen: Set<String> = []
    return available.all(.encoder).map(\.description).filter { encoder in
      let makesVideo = !encoder.pixelFormats.isEmpty
      let makesAudio = !encoder.sampleFormats.isEmpty || encoder.channelCounts != nil
      return makesVideo == makesAudio || makesVideo == (kind == .video)
    }.flatMap(\.codecs).map { $0.hasPrefix("pcm_") ? "pcm" : $0 }.filter {
      seen.insert($0).inserted
    }
  }

  private static func isVideo(_ codec: String) -> Bool { videoLibraries[codec] != nil }

  private static let libraries = videoLibraries.merging(audioLibraries) { video, _ in video }

  /// Names of codecs as FFmpeg spells them, each with a free library that encodes it.
  private static let videoLibraries = [
    "h264": "x264", "hevc": "x265", "vvc": "vvenc", "av1": "SVT-AV1", "vp8": "libvpx",
    "vp9": "libvpx", "theora": "libtheora", "mpeg4": "libavcodec", "mpeg2video": "libavcodec",
    "mpeg1video": "libavcodec", "prores": "libavcodec", "dnxhd": "libavcodec",
    "ffv1": "libavcodec", "mjpeg": "libavcodec", "png": "libavcodec", "gif": "libavcodec",
    "rawvideo": "libavcodec",
  ]
  private static let audioLibraries = [
    "aac": "libavcodec", "mp3": "LAME (libmp3lame)", "mp2": "TwoLAME", "opus": "libopus",
    "vorbis": "libvorbis", "flac": "libFLAC", "alac": "libavcodec", "ac3": "libavcodec",
    "eac3": "libavcodec", "dts": "libavcodec", "truehd": "libavcodec", "speex": "libspeex",
    "wavpack": "libwavpack", "tta": "libavcodec", "wmav2": "libavcodec",
    "amr_nb": "opencore-amr", "amr_wb": "vo-amrwbenc",
  ]
}
