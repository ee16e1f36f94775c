import RespoolPlugin

/// The identifier and CodecPrivate of a codec without an identifier of its own: a code of RIFF or QuickTime.
enum CompatibilityCodec {
  static let bitmapIdentifier = "V_MS/VFW/FOURCC"
  static let sampleEntryIdentifier = "V_QUICKTIME"
  static let waveIdentifier = "A_MS/ACM"

  /// Video codecs that are written with a BITMAPINFOHEADER.
  ///
  /// All show their frames in decoding order: blocks of these tracks have decoding times.
  private static let bitmapCodecs: Set<String> = [
    "huffyuv", "ffvhuff", "utvideo", "magicyuv", "lagarith", "dvvideo", "msmpeg4v1", "msmpeg4v2",
    "wmv1", "wmv2", "wmv3", "vc1", "png", "jpegls", "jpeg2000", "msvideo1", "msrle", "zmbv", "zlib",
    "mszh",
    "tscc", "tscc2", "cscd", "fraps", "asv1", "asv2", "cljr", "cyuv", "h261", "h263", "flv1", "vp3",
    "vp5", "vp6", "vp6f", "indeo2", "indeo3", "indeo4", "indeo5", "flashsv", "v210", "v308", "v408",
    "v410", "r210", "r10k", "y41p", "yuv4", "ayuv", "cfhd", "targa", "speedhq", "amv", "loco",
    "vble", "ylc", "hymt",
  ]

  /// Video codecs that are written with a sample description of QuickTime, with the usual code of each.
  private static let sampleEntryCodes: [String: FourCC] = [
    "cinepak": "cvid", "svq1": "SVQ1", "svq3": "SVQ3", "qtrle": "rle ", "rpza": "rpza",
    "smc": "smc ", "8bps": "8BPS", "dnxhd": "AVdn", "hap": "Hap1", "gif": "gif ",
  ]

  /// Audio codecs that are written with a WAVEFORMATEX.
  private static let waveCodecs: Set<String> = [
    "adpcm_ms", "adpcm_ima_wav", "adpcm_yamaha", "adpcm_g722", "adpcm_g726", "adpcm_swf",
    "pcm_alaw", "pcm_mulaw", "pcm_s64le", "gsm_ms", "g723_1", "truespeech", "wmav1", "wmav2",
    "wmapro", "wmalossless", "wmavoice", "speex", "sonic",
  ]

  static let codecs = bitmapCodecs.union(sampleEntryCodes.keys).union(waveCodecs).union([
    "rawvideo", "adpcm_ima_qt",
  ])

  /// Returns the identifier and CodecPrivate of a track.
  ///
  /// `nil` if the track lacks what the codec needs, and for codecs with an identifier of their own.
  static func find(_ track: TrackDescription) -> (identifier: String, bytes: [UInt8]?)? {
    if track.kind == .audio {
      if let entry = SampleEntry(track.extradata, isVideo: false), entry.code.tag == track.codecTag,
        SampleEntryCodecs.audio[entry.code] == track.codec
      {
        return ("A_QUICKTIME", entry.bytes)
      }
      return waveCodecs.contains(track.codec)
        ? wave(track).map { (waveIdentifier, $0.bytes) } : nil
    }
    guard track.kind == .video, codecs.contains(track.codec), track.reorderDepth == 0 else {
      return nil
    }
    if track.codec == "rawvideo", isUncompressed(track) { return ("V_UNCOMPRESSED", nil) }
    if let entry = sampleEntry(track) { return (sampleEntryIdentifier, entry.bytes) }
    return bitmap(track).map {
      (bitmapIdentifier, $0.bytes(width: track.width, height: track.height))
    }
  }

  /// Returns `true` for uncompressed video with a code that states its pixel format.
  static func isUncompressed(_ track: TrackDescription) -> Bool {
    let code = FourCC(rawValue: track.codecTag.byteSwapped)
    return track.codec == "rawvideo" && track.codecTag > 3
      && CodecPixelFormat.find(track.codec, code, bits: 0) != .none
  }

  /// Returns the sample description that the track has in another Matroska file, or a new one.
  private static func sampleEntry(_ track: TrackDescription) -> SampleEntry? {
    if let entry = SampleEntry(track.extradata, isVideo: true), entry.code.tag == track.codecTag,
      SampleEntryCodecs.video[entry.code] == track.codec
    {
      return entry
    }
    guard let usual = sampleEntryCodes[track.codec] else { return nil }
    let code = FourCC(rawValue: track.codecTag.byteSwapped)
    return SampleEntry(
      code: SampleEntryCodecs.video[code] == track.codec ? code : usual,
      depth: track.bitsPerSample, extradata: track.extradata)
  }

  private static func bitmap(_ track: TrackDescription) -> BitmapHeader? {
    let code = FourCC(rawValue: track.codecTag.byteSwapped)
    let bits = track.bitsPerSample > 0 ? track.bitsPerSample : 24
    if track.codec == "rawvideo" {
      // Without a code, the number of bits is all that states the pixel format.
      let stated = CodecPixelFormat.find("rawvideo", code, bits: track.bitsPerSample)
      guard track.codecTag == 0, stated != .none, stated == track.pixelFormat else { return nil }
      return BitmapHeader(code: code, bitsPerPixel: bits, extradata: track.extradata)
    }
    if track.codecTag != 0, RIFFCodecs.video(code) == track.codec {
      return BitmapHeader(code: code, bitsPerPixel: bits, extradata: track.extradata)
    }
    var usual = RIFFCodecs.code(of: track.codec)
    if track.codec == "utvideo" || track.codec == "magicyuv" {
      usual = CodecPixelFormat.code(of: track.codec, track.pixelFormat, track.color)
    }
    // The number of bits decides how the tables of HuffYUV are read.
    if track.codec == "huffyuv", track.bitsPerSample == 0 { return nil }
    return usual.map { BitmapHeader(code: $0, bitsPerPixel: bits, extradata: track.extradata) }
  }

  private static func wave(_ track: TrackDescription) -> WaveFormatHeader? {
    let code = UInt16(exactly: track.codecTag)
    let stated = code.flatMap {
      RIFFCodecs.audio($0, bits: track.bitsPerSample) == track.codec ? $0 : nil
    }
    guard let tag = stated ?? RIFFCodecs.tag(of: track.codec), track.sampleRate > 0 else {
      return nil
    }
    return WaveFormatHeader(
      tag: tag, channelCount: track.channelLayout.channelCount, sampleRate: track.sampleRate,
      bytesPerSecond: Int(clamping: track.bitRate / 8), blockAlign: track.blockAlign,
      bitsPerSample: track.bitsPerSample, extradata: track.extradata)
  }
}
