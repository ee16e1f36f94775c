import RespoolMedia

/// A fact that a file states besides its samples, in a form that can be compared across containers.
struct MediaFact: Hashable {
  /// Subject of the fact.
  enum Subject: Hashable {
    case file
    /// A track of the source, by its index there.
    case track(Int)
  }

  /// Property that the fact states.
  enum Property: Hashable {
    /// A tag by FFmpeg's name in lowercase, without the domain of QuickTime names.
    case tag(String)
    case language
    /// A language of the file's tags.
    case tagLanguage
    case flag(Flag)
    case rotation
    /// Numbers a, b, c and d of a display matrix that scales or skews.
    case scale
    /// Place at which the display matrix shows the frames, in pixels, other than that of its rotation.
    case translation
    /// Preferred volume of a track or a file, in percent.
    case volume
    /// Preferred playback rate of a file other than 1.
    case rate
    case colorPrimaries, colorTransfer, colorMatrix
    /// Location of chroma samples other than the usual one.
    case chromaLocation
    /// Visible part of frames.
    case cleanAperture
    case interlacing
    case bitDepth
    case channelLayout
    case sideData(FourCC)
    /// A block in the header of a WebVTT track.
    case captionHeader(String)
    case chapterCount, chapterTitles, chapterLanguages
    /// Start time of each chapter, in seconds.
    case chapterStarts
    /// End times of chapters that are followed by a gap, in seconds.
    case chapterGaps
    /// End time of the last chapter, in seconds; a source states it only if it is before the end of the file.
    case lastChapterEnd
    /// An item whose key has no common name, by that key.
    case item(String)
    /// A user data box that is copied unchanged, by its type.
    case userData(FourCC)
    /// A chunk of a RIFF file that is copied unchanged, by its type.
    case chunk(FourCC)
    /// An ID3 frame that is copied unchanged, by its name.
    case id3Frame(String)
    /// A part of the source that other containers cannot store, by its name.
    case part(String)
    case coverCount
    /// Kind of a cover other than the front cover.
    case coverKind
    /// Description of a cover.
    case coverTitle
    /// File name of a cover that is not named `cover`.
    case coverName
  }

  /// A disposition by which a viewer selects tracks.
  enum Flag: String, CaseIterable {
    case forced, commentary, original
    case hearingImpaired = "hearing impaired"
    case visualImpaired = "visual impaired"

    var disposition: TrackDescription.Disposition {
      switch self {
      case .forced: .forced
      case .commentary: .commentary
      case .original: .original
      case .hearingImpaired: .hearingImpaired
      case .visualImpaired: .visualImpaired
      }
    }
  }

  var subject: Subject
  var property: Property
}

extension MediaFact: CustomStringConvertible {
  /// The fact as named in messages; track numbers start at 1.
  var description: String {
    switch subject {
    case .file: property.description
    case .track(let index): "\(property) of \(TrackNumber(index: index))"
    }
  }
}

extension MediaFact.Property: CustomStringConvertible {
  var description: String {
    switch self {
    case .tag(let name): name
    case .language: "language"
    case .tagLanguage: "language of tags"
    case .flag(let flag): "\(flag.rawValue) flag"
    case .rotation: "rotation"
    case .volume: "playback volume"
    case .rate: "playback rate"
    case .scale: "scaling or skew of the display matrix"
    case .translation: "translation of the display matrix"
    case .colorPrimaries: "color primaries"
    case .colorTransfer: "color transfer"
    case .colorMatrix: "color matrix"
    case .chromaLocation: "position of chroma samples"
    case .cleanAperture: "clean aperture"
    case .interlacing: "interlacing"
    case .bitDepth: "bit depth"
    case .channelLayout: "channel layout"
    case .sideData(let type): Self.names[type] ?? "side data '\(type)'"
    case .captionHeader(let part):
      part.hasPrefix("its ") ? String(part.dropFirst(4)) : "\(part)"
    case .chapterCount: "number of chapters"
    case .chapterTitles: "chapter titles"
    case .chapterLanguages: "chapter languages"
    case .chapterStarts: "starts of chapters"
    case .chapterGaps: "ends of chapters before gaps"
    case .lastChapterEnd: "end of the last chapter"
    case .item(let key): "item '\(key)'"
    case .userData(let type): "user data '\(type)'"
    case .chunk("bext"): "UMID or loudness in the chunk 'bext'"
    case .chunk(let type): "chunk '\(type)'"
    case .id3Frame(let name): Self.frames[name] ?? "ID3 frame '\(name)'"
    case .part(let name): name
    case .coverCount: "number of covers"
    case .coverKind: "kind of a cover"
    case .coverTitle: "description of a cover"
    case .coverName: "file name of a cover"
    }
  }

  private static let frames = [
    "SYLT": "synchronized lyrics in the ID3 frame 'SYLT'",
    "CHAP": "links, pictures and further texts of chapters in the ID3 frame 'CHAP'",
    "CTOC": "texts of a table of contents in the ID3 frame 'CTOC'",
    "GEOB": "attached file in the ID3 frame 'GEOB'",
  ]

  private static let names: [FourCC: String] = [
    "mdcv": "mastering display metadata", "clli": "content light level metadata",
    "dvcC": "Dolby Vision (DOVI configuration record)",
    "dvvC": "Dolby Vision (DOVI configuration record)",
    "dvwC": "Dolby Vision (DOVI configuration record)",
    "prof": "ICC profile", .colorProfile: "color profile (ICC)",
    "amve": "ambient viewing environment",
    "sv3d": "spherical video metadata", "st3d": "stereoscopic video metadata",
    "vexu": "stereoscopic video metadata", "hfov": "horizontal field of view",
    "MKsm": "stereo mode (StereoMode)", "MKpj": "projection (Projection)",
    "MKtd": "flag of text descriptions (FlagTextDescriptions)",
    "MKdu": "flag of a dubbed language (FlagOriginal)",
    "MKba": "additional data of blocks (BlockAdditionMapping)",
    "MKem": "emphasis of the audio (Emphasis)",
    "MKmd": "incomplete mastering display metadata",
    "MKal": "alpha channel", "MKcn": "name of the codec",
    .graphicsMode: "graphics mode (vmhd)", .audioBalance: "balance (smhd)",
    .resolution: "resolution in pixels per inch",
    .trackLayer: "layer of the track (tkhd)",
    .displayTimes: "times of poster, preview and selection (mvhd)",
    "tapt": "aperture dimensions (tapt)", "gama": "gamma (gama)",
    .trackRole: "role of the track (kind)",
    .chapterTrack: "text track of the chapters, which Apple's players show",
    .matroskaChapters: "editions, nesting and further titles of chapters",
    .matroskaChapterTags: "tags of chapters",
    .xmp: "XMP packet", .extendedXMP: "extended XMP packet", .exif: "Exif data",
    .metaBox: "metadata of a camera or program (meta)",
    .id3Places: "synchronized lyrics, events or chapter data in the ID3 tag",
    .flacCueSheet: "catalog number or indexes in the cue sheet of FLAC",
    .riffPlaces: "notes, regions or loops beside cue points",
  ]
}
