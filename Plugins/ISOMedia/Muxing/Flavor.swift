import RespoolPlugin

/// The three file types that the plugin writes.
enum Flavor: Sendable {
  case mp4, mov, m4a

  /// Returns the file type box for tracks without covers.
  ///
  /// Video makes an M4A file an M4V file.
  func fileType(for tracks: [TrackDescription]) -> FileTypeBox {
    var box = fileType(hasPictures: tracks.contains { $0.kind == .video })
    let hasDolbyVision = tracks.contains { track in
      track.sideData.contains { FourCC.dolbyVision.contains($0.type) }
    }
    // Dolby Vision Streams Within the ISO Base Media File Format, 4.
    if hasDolbyVision, self != .mov { box.compatibleBrands.append("dby1") }
    return box
  }

  private func fileType(hasPictures: Bool) -> FileTypeBox {
    switch self {
    case .mp4:
      FileTypeBox(
        majorBrand: "isom", minorVersion: 0x200, compatibleBrands: ["isom", "iso2", "mp41"])
    case .mov: FileTypeBox(majorBrand: "qt  ", minorVersion: 0x200, compatibleBrands: ["qt  "])
    case .m4a:
      FileTypeBox(
        majorBrand: hasPictures ? "M4V " : "M4A ", minorVersion: 0x200,
        compatibleBrands: [hasPictures ? "M4V " : "M4A ", "isom", "iso2"])
    }
  }

  var codecs: [String] {
    switch self {
    case .mp4:
      [
        "h264", "hevc", "av1", "vp9", "vp8", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "png",
        "aac", "mp3", "mp2", "opus", "flac", "alac", "ac3", "eac3", "mov_text", "mebx",
      ]
    case .mov:
      [
        "h264", "hevc", "mpeg4", "prores", "dnxhd", "mjpeg", "png", "v308", "aac", "mp3", "alac",
        "ac3",
        "eac3",
        "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be",
        "pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be", "pcm_u8", "pcm_s8", "pcm_mulaw",
        "pcm_alaw", "mov_text", "mebx",
      ]
    case .m4a:
      [
        "aac", "alac", "ac3", "eac3", "mp3", "h264", "hevc", "mpeg4", "mjpeg", "png", "mov_text",
      ]
    }
  }

  var name: String {
    switch self {
    case .mp4: "mp4"
    case .mov: "mov"
    case .m4a: "ipod"
    }
  }

  func description(_ longName: String, extensions: [String], mimeTypes: [String])
    -> FactoryDescription
  {
    var description = FactoryDescription(kind: .muxer, name: name, longName: longName)
    description.tier = .preferred
    description.extensions = extensions
    description.mimeTypes = mimeTypes
    description.codecs = codecs
    description.flags = [
      .keepsRotation, .keepsChapters, .variableFrameRate, .hidesPictures, .joinsPieces,
      .keepsFormats, .keepsTypedTags, .writesSegments, .keepsEditRates,
    ]
    if self == .mov { description.flags.insert(.writesReferences) }
    if self == .m4a { description.aliases = ["m4a"] }
    description.options = [
      OptionSchema(
        "faststart", .bool, default: "true",
        help: "put the movie box first, so that playback starts before the file is loaded"),
      OptionSchema(
        "chapter-track", .bool, default: self == .mov ? "true" : nil,
        help: "also write chapters as a text track, for Apple's players; unset: if the source does"),
      OptionSchema(
        "fragment-interval", .number(0...3600),
        help: "seconds of media in a movie fragment; 0: no fragments"),
      OptionSchema(
        "first-fragment-interval", .number(0...3600),
        help: "seconds of media in the first fragment; 0: as in fragment-interval"),
      OptionSchema(
        "movie-time-scale", .int(0...2_147_483_647),
        help: "time scale of the movie in units per second; 0: chosen from the tracks"),
    ]
    return description
  }

  /// Throws if the container cannot carry the track.
  func check(_ track: TrackDescription) throws(MediaError) {
    if track.disposition.contains(.attachedPicture) {
      guard ["mjpeg", "png", "bmp"].contains(track.codec) else {
        throw MediaError(
          .unsupported, "a cover in \(name) is JPEG, PNG or BMP, not \(track.codec)")
      }
      return
    }
    guard codecs.contains(track.codec) else {
      let advice = LinearPCM(codec: track.codec) == nil ? "" : "; mov carries PCM"
      throw MediaError(
        .unsupported,
        "\(name) does not carry \(track.codec.isEmpty ? "an unknown codec" : track.codec)"
          + advice + "; it carries " + codecs.joined(separator: ", "))
    }
    if track.codec == "dnxhd", track.codecTag != FourCC.dnxhr.tag {
      throw MediaError(.unsupported, "\(name) carries DNxHD only as DNxHR, which has the tag AVdh")
    }
    if track.kind == .video,
      !(1...65535).contains(track.width)
        || !(1...65535).contains(track.height)
    {
      throw MediaError(
        .unsupported,
        "the frame size is \(track.width)x\(track.height); each side can be 1 to 65535")
    }
    if track.kind == .audio, track.sampleRate <= 0 || track.channelLayout.channelCount <= 0 {
      throw MediaError(.unsupported, "the audio has no sample rate or no channels")
    }
    if track.codec == "mebx" { _ = try MetadataKeyTable(extradata: track.extradata) }
    if track.codec == "flac", track.extradata.isEmpty {
      throw MediaError(.unsupported, "\(name) needs the header of the FLAC stream")
    }
  }
}
