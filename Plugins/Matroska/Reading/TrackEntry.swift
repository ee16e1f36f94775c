import RespoolPlugin

/// A track entry of the file (RFC 9559 5.1.4.1).
struct TrackEntry {
  var number: UInt64 = 0
  var uid: UInt64 = 0
  var type: UInt64 = 0
  var isEnabled = true
  /// Default values are those of RFC 9559.
  var isDefault = true
  var isForced = false
  var isHearingImpaired = false
  var isVisualImpaired = false
  var isTextDescriptions = false
  /// `true` if FlagOriginal states that the language is not the original one.
  var isDubbed = false
  var isOriginal = false
  var isCommentary = false
  /// Nanoseconds.
  ///
  /// `nil` if not stored.
  var defaultDuration: UInt64?
  var defaultDecodedFieldDuration: UInt64?
  var timestampScale = 1.0
  var name = ""
  /// ISO 639-2, bibliographic form.
  var language = "eng"
  /// Overrides `language`.
  var languageBCP47: String?
  var codecID = ""
  /// Human-readable name of the codec.
  var codecName = ""
  var codecPrivate: [UInt8] = []
  /// Nanoseconds.
  var codecDelay: UInt64 = 0
  /// Nanoseconds.
  var seekPreRoll: UInt64 = 0
  var encoding = ContentEncoding()
  var blockAdditions: [BlockAdditionMapping] = []
  var video = VideoSettings()
  var audio = AudioSettings()
  /// Elements that are copied unchanged.
  var copied = CopiedElements()

  static let videoType: UInt64 = 1
  static let audioType: UInt64 = 2
  static let subtitleType: UInt64 = 17

  struct AudioSettings {
    /// Hertz.
    var samplingFrequency = 8000.0
    /// Hertz, after spectral band replication.
    ///
    /// `nil` if equal to `samplingFrequency`.
    var outputSamplingFrequency: Double?
    var channels = 1
    /// 0 if not stored.
    var bitDepth = 0
    /// De-emphasis that the player has to apply; 0 for none (RFC 9559 27.13).
    var emphasis = 0
  }

  /// Parses a TrackEntry element.
  init(_ element: EBMLElement) throws(MediaError) {
    var encodings: [EBMLElement] = []
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .trackNumber: number = try child.unsigned
      case .trackUID: uid = try child.unsigned
      case .trackType: type = try child.unsigned
      case .flagEnabled: isEnabled = try child.unsigned != 0
      case .flagDefault: isDefault = try child.unsigned != 0
      case .flagForced: isForced = try child.unsigned != 0
      case .flagHearingImpaired: isHearingImpaired = try child.unsigned != 0
      case .flagVisualImpaired: isVisualImpaired = try child.unsigned != 0
      case .flagTextDescriptions: isTextDescriptions = try child.unsigned != 0
      case .flagOriginal:
        isOriginal = try child.unsigned != 0
        isDubbed = !isOriginal
      case .flagCommentary: isCommentary = try child.unsigned != 0
      case .defaultDuration: defaultDuration = try child.unsigned
      case .defaultDecodedFieldDuration: defaultDecodedFieldDuration = try child.unsigned
      case .trackTimestampScale: timestampScale = try child.float
      case .name: name = child.text
      case .language: language = child.text
      case .languageBCP47: languageBCP47 = child.text
      case .codecID: codecID = child.text
      case .codecPrivate: codecPrivate = child.binary
      case .codecName: codecName = child.text
      case .codecDelay: codecDelay = try child.unsigned
      case .seekPreRoll: seekPreRoll = try child.unsigned
      case .contentEncodings: encodings.append(child)
      case .blockAdditionMapping: blockAdditions.append(try BlockAdditionMapping(child))
      case .video: video = try VideoSettings(child)
      case .audio: audio = try Self.audio(child)
      default: copied.add(child, of: .trackEntry)
      }
    }
    if !(timestampScale > 0 && timestampScale < 1e6) { timestampScale = 1 }
    if defaultDuration == 0 { defaultDuration = nil }
    copied.add(video.copied)
    for element in encodings { try encoding.read(element) }
    if encoding.failure == nil, encoding.coversCodecPrivate {
      codecPrivate = try encoding.decode(codecPrivate[...])
    }
  }

  private static func audio(_ element: EBMLElement) throws(MediaError) -> AudioSettings {
    var audio = AudioSettings()
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .samplingFrequency: audio.samplingFrequency = try child.float
      case .outputSamplingFrequency: audio.outputSamplingFrequency = try child.float
      case .channels: audio.channels = try child.clampedInteger
      case .bitDepth: audio.bitDepth = try child.clampedInteger
      case .emphasis: audio.emphasis = try child.clampedInteger
      default: break
      }
    }
    return audio
  }

  /// BCP 47 or ISO 639-2.
  ///
  /// `nil` if undetermined.
  var spokenLanguage: String? {
    LanguageTag.spoken(iso639: language, bcp47: languageBCP47)
  }

  var disposition: TrackDescription.Disposition {
    var result: TrackDescription.Disposition = []
    if isDefault { result.insert(.default) }
    if isForced { result.insert(.forced) }
    if isHearingImpaired { result.insert(.hearingImpaired) }
    if isVisualImpaired { result.insert(.visualImpaired) }
    if isOriginal { result.insert(.original) }
    if isCommentary { result.insert(.commentary) }
    if !isEnabled { result.insert(.disabled) }
    return result
  }
}

/// The meaning of additional data in blocks (RFC 9559 5.1.4.1.17).
struct BlockAdditionMapping: Hashable {
  /// BlockAddID of the data.
  ///
  /// `nil` if no block has such data and only `extraData` is used.
  var value: UInt64?
  var name = ""
  /// Type of the data.
  ///
  /// A four-character code such as `dvcC` if ISO base media files have the same type.
  var type: UInt64 = 0
  var extraData: [UInt8] = []

  init(type: UInt64, extraData: [UInt8]) { (self.type, self.extraData) = (type, extraData) }

  init(_ element: EBMLElement) throws(MediaError) {
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .blockAddIDValue: value = try child.unsigned
      case .blockAddIDName: name = child.text
      case .blockAddIDType: type = try child.unsigned
      case .blockAddIDExtraData: extraData = child.binary
      default: break
      }
    }
  }

  func write(to entry: inout EBMLWriter) {
    entry.master(.blockAdditionMapping) { element in
      if let value { element.unsigned(.blockAddIDValue, value) }
      if !name.isEmpty { element.text(.blockAddIDName, name) }
      element.unsigned(.blockAddIDType, type)
      if !extraData.isEmpty { element.binary(.blockAddIDExtraData, extraData) }
    }
  }
}
