import RespoolPlugin

/// The codec and frame format for a codec identifier (RFC 9559, "Matroska Codec Specifications").
struct CodecIdentifier {
  /// A form in which the file stores frames that differs from the form in the pipeline.
  enum Form: Equatable {
    case plain
    /// ProRes frames without the leading size and `icpf`.
    case proRes
    /// A WebVTT cue with identifier and settings as lines before the text.
    case cue
    /// WavPack blocks without the fields that the container stores.
    case wavPack
  }

  /// FFmpeg's name.
  ///
  /// For unknown codecs, the identifier of the file, or nothing if it only has a code: see `tag`.
  var codec: String
  var form = Form.plain
  /// The code of RIFF or QuickTime, as in `TrackDescription.codecTag`.
  var tag: UInt32 = 0
  /// The part of CodecPrivate that belongs to the codec.
  var extradata: [UInt8]
  /// Bits of a pixel or of an audio sample.
  ///
  /// `nil` if CodecPrivate does not state them.
  var bits: Int?
  /// Properties of audio that CodecPrivate states.
  var wave: WaveFormatHeader?
  /// The bidirectional frames of a track whose blocks have decoding times instead of presentation times.
  ///
  /// `nil` if frames are shown in decoding order.
  var bidirectionalFrames: BidirectionalFrames?

  private init(_ codec: String, _ entry: TrackEntry, _ form: Form = .plain) {
    (self.codec, self.form, extradata) = (codec, form, entry.codecPrivate)
  }

  /// Finds the codec of a track.
  ///
  /// Throws `unsupported` if only the parser of a decoder can find the order or the size of frames, which another
  /// plugin has.
  init(_ entry: TrackEntry) throws(MediaError) {
    switch entry.codecID {
    case "V_MS/VFW/FOURCC": try self.init(bitmap: entry)
    case "V_QUICKTIME", "A_QUICKTIME": try self.init(sampleEntry: entry)
    case "A_MS/ACM": try self.init(wave: entry)
    case let id where id.hasPrefix("A_PCM/"):
      guard let codec = Self.pcm(id, bits: entry.audio.bitDepth) else {
        throw MediaError(
          .unsupported, "this plugin does not read \(id) of \(entry.audio.bitDepth) bits")
      }
      self.init(codec, entry)
    case "A_REAL/28_8", "A_REAL/COOK", "A_REAL/ATRC", "A_REAL/SIPR":
      // The packets of several blocks are interleaved.
      throw MediaError(.unsupported, "this plugin does not read the codec \(entry.codecID)")
    case let id where id.hasPrefix("V_REAL/"):
      self.init(Self.known(id)?.codec ?? Self.unknown(id), entry)
      // RealMedia's header of the track comes first.
      extradata = Array(entry.codecPrivate.dropFirst(26))
    case let id:
      guard let known = Self.known(id) else {
        self.init(Self.unknown(id), entry)
        return
      }
      self.init(known.codec, entry, known.form)
      if id == "V_UNCOMPRESSED", entry.video.fourCC.count == 4 {
        tag = entry.video.fourCC.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
    }
  }

  /// A name that can be shown, for a codec that has none.
  private static func unknown(_ id: String) -> String {
    id.utf8.count <= 64 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? id : ""
  }

  // MARK: Codes of other containers

  private init(bitmap entry: TrackEntry) throws(MediaError) {
    guard let header = BitmapHeader(entry.codecPrivate) else {
      self.init(Self.unknown(entry.codecID), entry)
      return
    }
    let codec = RIFFCodecs.video(header.code) ?? SampleEntryCodecs.video[header.code] ?? ""
    guard !Self.codecsWithUnstoredOrder.contains(codec) else {
      throw MediaError(
        .unsupported, "this plugin does not read \(codec) with decoding times (\(entry.codecID))")
    }
    self.init(codec, entry)
    tag = header.code.tag
    extradata = header.extradata
    bits = header.bitsPerPixel
    bidirectionalFrames = BidirectionalFrames(codec: codec, extradata: extradata)
  }

  /// Codecs whose order of frames only their decoder finds if the file stores decoding times.
  private static let codecsWithUnstoredOrder: Set<String> = [
    "h264", "hevc", "rv40", "cavs", "avs2", "theora", "dirac",
  ]

  private init(sampleEntry entry: TrackEntry) throws(MediaError) {
    let isVideo = entry.type == TrackEntry.videoType
    guard let description = SampleEntry(entry.codecPrivate, isVideo: isVideo) else {
      self.init(Self.unknown(entry.codecID), entry)
      return
    }
    let table = isVideo ? SampleEntryCodecs.video : SampleEntryCodecs.audio
    var codec = table[description.code] ?? ""
    if !isVideo { codec = Self.linear(description) ?? codec }
    if isVideo, description.code == "SMI " { codec = "svq3" }
    self.init(codec, entry)
    tag = description.code.tag
    extradata = description.bytes
    let stated = isVideo ? description.depth : description.sampleSize
    if isVideo, (1...8).contains(stated & 0x1F) {
      // Its colors are those of a table in the description, or one of QuickTime's own.
      throw MediaError(.unsupported, "this plugin does not read \(codec) with a color table")
    }
    if stated > 0 { bits = stated }
  }

  /// Returns the PCM codec of a QuickTime sample description.
  ///
  /// `nil` for others.
  private static func linear(_ entry: SampleEntry) -> String? {
    switch (entry.code, entry.sampleSize) {
    case ("sowt", 8), ("twos", 8): "pcm_s8"
    case ("sowt", _): "pcm_s16le"
    case ("twos", _), ("NONE", 16), ("raw ", 16): "pcm_s16be"
    case ("NONE", _), ("raw ", _): "pcm_u8"
    case ("in24", _): "pcm_s24be"
    case ("in32", _): "pcm_s32be"
    case ("fl32", _): "pcm_f32be"
    case ("fl64", _): "pcm_f64be"
    default: nil
    }
  }

  private init(wave entry: TrackEntry) throws(MediaError) {
    guard let header = try? WaveFormatHeader(ByteReader(entry.codecPrivate)) else {
      // A subformat that libavformat may know.
      throw MediaError(.unsupported, "this plugin does not read the wave format of the track")
    }
    self.init(RIFFCodecs.audio(header.tag, bits: header.bitsPerSample) ?? "", entry)
    tag = UInt32(header.tag)
    extradata = header.extradata
    bits = header.bitsPerSample
    wave = header
  }

  // MARK: Matroska's own identifiers

  /// Returns the codec of an identifier, or of the longest one before a slash.
  ///
  /// Many add a profile, such as A_DTS/EXPRESS and the obsolete A_AAC/MPEG4/LC/SBR.
  private static func known(_ id: String) -> (codec: String, form: Form)? {
    var id = id[...]
    while true {
      if let codec = table[String(id)] { return codec }
      guard let slash = id.lastIndex(of: "/") else { return nil }
      id = id[..<slash]
    }
  }

  private static let table: [String: (codec: String, form: Form)] = {
    var result: [String: (codec: String, form: Form)] = [:]
    for (name, id) in plain { result[id] = (name, .plain) }
    result["V_PRORES"] = ("prores", .proRes)
    result["A_WAVPACK4"] = ("wavpack", .wavPack)
    for id in [
      "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS", "D_WEBVTT/DESCRIPTIONS", "D_WEBVTT/METADATA",
    ] {
      result[id] = ("webvtt", .cue)
    }
    return result
  }()

  private static let plain: [(String, String)] = [
    ("h264", "V_MPEG4/ISO/AVC"), ("hevc", "V_MPEGH/ISO/HEVC"), ("av1", "V_AV1"), ("vp8", "V_VP8"),
    ("vp9", "V_VP9"), ("mpeg4", "V_MPEG4/ISO/ASP"), ("mpeg4", "V_MPEG4/ISO/SP"),
    ("mpeg4", "V_MPEG4/ISO/AP"), ("msmpeg4v3", "V_MPEG4/MS/V3"), ("mjpeg", "V_MJPEG"),
    ("mpeg1video", "V_MPEG1"), ("mpeg2video", "V_MPEG2"), ("theora", "V_THEORA"),
    ("dirac", "V_DIRAC"), ("ffv1", "V_FFV1"), ("snow", "V_SNOW"), ("rawvideo", "V_UNCOMPRESSED"),
    ("rv10", "V_REAL/RV10"), ("rv20", "V_REAL/RV20"), ("rv30", "V_REAL/RV30"),
    ("rv40", "V_REAL/RV40"), ("avs2", "V_AVS2"), ("avs3", "V_AVS3"), ("cavs", "V_CAVS"),
    ("aac", "A_AAC"), ("ac3", "A_AC3"), ("eac3", "A_EAC3"), ("alac", "A_ALAC"), ("dts", "A_DTS"),
    ("flac", "A_FLAC"), ("mlp", "A_MLP"), ("mp1", "A_MPEG/L1"), ("mp2", "A_MPEG/L2"),
    ("mp3", "A_MPEG/L3"), ("opus", "A_OPUS"), ("truehd", "A_TRUEHD"), ("vorbis", "A_VORBIS"),
    ("tta", "A_TTA1"), ("ra_144", "A_REAL/14_4"), ("qdmc", "A_QUICKTIME/QDMC"),
    ("qdm2", "A_QUICKTIME/QDM2"),
    ("subrip", "S_TEXT/UTF8"), ("text", "S_TEXT/ASCII"), ("ass", "S_TEXT/ASS"), ("ass", "S_ASS"),
    ("ass", "S_TEXT/SSA"), ("ass", "S_SSA"), ("webvtt", "S_TEXT/WEBVTT"),
    ("dvd_subtitle", "S_VOBSUB"), ("hdmv_pgs_subtitle", "S_HDMV/PGS"),
    ("hdmv_text_subtitle", "S_HDMV/TEXTST"), ("dvb_subtitle", "S_DVBSUB"),
    ("arib_caption", "S_ARIBSUB"),
  ]

  private static func pcm(_ id: String, bits: Int) -> String? {
    switch id {
    case "A_PCM/INT/LIT":
      return bits == 8 ? "pcm_u8" : [16, 24, 32].contains(bits) ? "pcm_s\(bits)le" : nil
    case "A_PCM/INT/BIG":
      return bits == 8 ? "pcm_s8" : [16, 24, 32].contains(bits) ? "pcm_s\(bits)be" : nil
    case "A_PCM/FLOAT/IEEE": return bits == 32 || bits == 64 ? "pcm_f\(bits)le" : nil
    default: return nil
    }
  }
}
