import RespoolMedia

/// A property that a track of some kinds has.
struct TrackProperty: Sendable {
  /// Name after the kind of the track, such as `codec`.
  let name: String
  let kind: MediaProperty.Kind
  /// Kinds of tracks that have the property.
  let kinds: Set<TrackDescription.Kind>
  let find: @Sendable (TrackDescription) -> MediaProperty.Value?

  private static let allKinds: Set<TrackDescription.Kind> = [
    .video, .audio, .subtitle, .attachment, .data,
  ]

  private init(
    _ name: String, _ kind: MediaProperty.Kind, of kinds: Set<TrackDescription.Kind> = allKinds,
    find: @escaping @Sendable (TrackDescription) -> MediaProperty.Value?
  ) {
    (self.name, self.kind, self.kinds, self.find) = (name, kind, kinds, find)
  }

  static let all = general + dispositions + ofVideo + ofDynamicRange + ofAudio

  private static let general: [TrackProperty] = [
    TrackProperty("id", .number) { .number(Double($0.id)) },
    TrackProperty("codec", .text) { .nonEmpty($0.codec) },
    TrackProperty("duration", .time) { track in
      track.duration.map { .number(Double($0) * track.timeBase.doubleValue) }
    },
    TrackProperty("bitRate", .amount) { .positive($0.bitRate) },
    TrackProperty("language", .language) { track in
      track.language.flatMap { $0.isEmpty ? nil : .language($0) }
    },
    TrackProperty("title", .text) { .nonEmpty($0.tag("title")) },
    TrackProperty("fileName", .text, of: [.attachment]) { .nonEmpty($0.tag("filename")) },
    TrackProperty("disposition", .text) { .joined($0.disposition.names) },
    TrackProperty("furtherFormats", .number, of: [.video, .audio, .subtitle, .data]) {
      .positive($0.furtherSampleDescriptions.count)
    },
    TrackProperty("keys", .text, of: [.data]) { .joined($0.metadataKeys) },
  ]

  private static let dispositions: [TrackProperty] = [
    flag("default", .default), flag("forced", .forced), flag("original", .original),
    flag("commentary", .commentary), flag("hearingImpaired", .hearingImpaired),
    flag("visualImpaired", .visualImpaired),
  ]

  private static let ofVideo: [TrackProperty] = [
    video("width", .number) { .positive($0.width) },
    video("height", .number) { .positive($0.height) },
    video("sampleAspect", .text) { track in
      track.sampleAspect.isPositive && track.sampleAspect.doubleValue != 1
        ? .text(track.sampleAspect.description) : nil
    },
    video("frameRate", .number) { track in
      track.frameRate.isPositive ? .number(track.frameRate.doubleValue) : nil
    },
    video("pixelFormat", .text) { track in
      track.pixelFormat == .none ? nil : .text(track.pixelFormatName)
    },
    video("bitDepth", .number) { $0.pixelFormat.layout.map { .number(Double($0.depth)) } },
    video("rotation", .number) { .number(Double($0.displayMatrix.displayedDegrees)) },
    video("mirrored", .truth) { .truth($0.displayMatrix.isMirrored) },
    video("interlaced", .truth) { track in
      track.fieldOrder == .unknown ? nil : .truth(track.fieldOrder != .progressive)
    },
    video("fieldOrder", .text) { .nonEmpty($0.fieldOrderName) },
    video("color.primaries", .text) { .nonEmpty($0.color.primariesName) },
    video("color.transfer", .text) { .nonEmpty($0.color.transferName) },
    video("color.matrix", .text) { .nonEmpty($0.color.matrixName) },
    video("color.range", .text) { .nonEmpty($0.color.rangeName) },
    video("hdr", .truth) { .truth($0.color.isHighDynamicRange) },
  ]

  private static let ofDynamicRange: [TrackProperty] = [
    video("dynamicRange.transfer", .text) { .nonEmpty($0.color.highDynamicRangeName) },
    display("red") { .text($0.red.text) },
    display("green") { .text($0.green.text) },
    display("blue") { .text($0.blue.text) },
    display("white") { .text($0.whitePoint.text) },
    display("minimumLuminance", .number) { .number(Double($0.minimumLuminance) / 10_000) },
    display("maximumLuminance", .number) { .number(Double($0.maximumLuminance) / 10_000) },
    light("maximum") { $0.maximum },
    light("maximumFrameAverage") { $0.maximumAverage },
    vision("profile", .number) { .number(Double($0.profile)) },
    vision("level", .number) { .number(Double($0.level)) },
    vision("baseLayerCompatibility", .number) { .number(Double($0.baseLayerCompatibility)) },
    vision("enhancementLayer", .truth) { .truth($0.hasEnhancementLayer) },
  ]

  private static let ofAudio: [TrackProperty] = [
    audio("sampleRate", .number) { .positive($0.sampleRate) },
    audio("channels", .number) { .positive($0.channelLayout.channelCount) },
    audio("channelLayout", .text) { track in
      track.channelLayout.mask == 0 ? nil : .text(track.channelLayout.description)
    },
    audio("bitsPerSample", .number) { .positive($0.bitsPerSample) },
  ]

  private static func flag(_ name: String, _ disposition: TrackDescription.Disposition)
    -> TrackProperty
  {
    TrackProperty(name, .truth, of: [.video, .audio, .subtitle]) {
      .truth($0.disposition.contains(disposition))
    }
  }

  private static func video(
    _ name: String, _ kind: MediaProperty.Kind,
    find: @escaping @Sendable (TrackDescription) -> MediaProperty.Value?
  ) -> TrackProperty { TrackProperty(name, kind, of: [.video], find: find) }

  private static func audio(
    _ name: String, _ kind: MediaProperty.Kind,
    find: @escaping @Sendable (TrackDescription) -> MediaProperty.Value?
  ) -> TrackProperty { TrackProperty(name, kind, of: [.audio], find: find) }

  private static func display(
    _ name: String, _ kind: MediaProperty.Kind = .text,
    find: @escaping @Sendable (MasteringDisplay) -> MediaProperty.Value?
  ) -> TrackProperty {
    video("dynamicRange.masteringDisplay.\(name)", kind) { track in
      track.sideData[.masteringDisplay].flatMap { MasteringDisplay($0) }.flatMap(find)
    }
  }

  private static func light(_ name: String, find: @escaping @Sendable (ContentLightLevel) -> UInt16)
    -> TrackProperty
  {
    video("dynamicRange.contentLight.\(name)", .number) { track in
      track.sideData[.contentLightLevel].flatMap { ContentLightLevel($0) }
        .map { .number(Double(find($0))) }
    }
  }

  private static func vision(
    _ name: String, _ kind: MediaProperty.Kind,
    find: @escaping @Sendable (DolbyVisionConfiguration) -> MediaProperty.Value?
  ) -> TrackProperty {
    video("dynamicRange.dolbyVision.\(name)", kind) { track in
      FourCC.dolbyVision.lazy.compactMap { track.sideData[$0] }.first
        .flatMap { DolbyVisionConfiguration($0) }.flatMap(find)
    }
  }
}

extension TrackDescription {
  fileprivate func tag(_ name: String) -> String? {
    metadata.first { $0.name.lowercased() == name }?.value
  }
}

extension TrackDescription {
  /// Keys of a track of timed metadata, such as `mdta/com.apple.quicktime.location.ISO6709`.
  fileprivate var metadataKeys: [String] {
    guard isTimedMetadata, let table = try? MetadataKeyTable(extradata: extradata) else {
      return []
    }
    return table.keys.map { "\($0.namespace)/\(String(decoding: $0.name, as: UTF8.self))" }
  }
}

extension MasteringDisplay.Chromaticity {
  /// Both coordinates with a comma between them, such as `0.68,0.32`.
  fileprivate var text: String { "\(Double(x) / 50_000),\(Double(y) / 50_000)" }
}
