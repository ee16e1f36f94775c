import RespoolPlugin

/// Elements of a TrackEntry that a track description has no property for, kept from Matroska to Matroska.
///
/// Stored as side data of the track: the elements, with those of Video inside a Video element.
struct TrackExtras {
  static let type: FourCC = "MKte"
  /// Side data type for the default durations of frames.
  static let durationType: FourCC = "MKdd"
  /// Additional data types that ISO base media files have as boxes with the same name and body.
  private static let boxes: Set<FourCC> = ["dvcC", "dvvC", "dvwC", "hvcE"]

  /// Default duration of a frame in nanoseconds.
  ///
  /// For video, the frame rate as stored.
  private(set) var defaultDuration: UInt64?
  private(set) var defaultDecodedFieldDuration: UInt64?
  private(set) var isTextDescriptions = false
  private(set) var stereoMode = 0
  /// The body of Projection.
  ///
  /// Empty if the video is flat.
  private(set) var projection: [UInt8] = []
  /// Side data type for the text of CodecName.
  static let codecNameType: FourCC = "MKcn"
  private var codecName = ""
  private var hasAlpha = false
  /// Side data type that marks an alpha channel beside the frames.
  static let alphaType: FourCC = "MKal"
  private(set) var mappings: [BlockAdditionMapping] = []

  init(_ entry: TrackEntry) {
    defaultDuration = entry.defaultDuration
    defaultDecodedFieldDuration = entry.defaultDecodedFieldDuration
    isTextDescriptions = entry.isTextDescriptions
    codecName = entry.codecName
    stereoMode = entry.video.stereoMode
    if entry.video.projectionType != 0 { projection = entry.video.projection }
    hasAlpha = entry.video.alphaMode != 0
    mappings = entry.blockAdditions
  }

  /// Reads the side data of a track.
  init(_ sideData: [SideData]) {
    if let text = sideData[Self.codecNameType] { codecName = String(decoding: text, as: UTF8.self) }
    for type in [Self.type, Self.durationType] {
      guard let bytes = sideData[type] else { continue }
      let record = EBMLElement(.trackEntry, in: "", payload: ByteReader(bytes))
      try? record.forEachChild { (child) throws(MediaError) in
        switch child.id {
        case .defaultDuration: defaultDuration = try child.unsigned
        case .defaultDecodedFieldDuration: defaultDecodedFieldDuration = try child.unsigned
        case .flagTextDescriptions: isTextDescriptions = try child.unsigned != 0
        case .blockAdditionMapping: mappings.append(try BlockAdditionMapping(child))
        case .video:
          let video = try VideoSettings(child)
          (stereoMode, projection) = (video.stereoMode, video.projection)
        default: break
        }
      }
    }
    for record in sideData where Self.boxes.contains(record.type) {
      mappings.append(
        BlockAdditionMapping(type: UInt64(record.type.rawValue), extraData: record.bytes))
    }
  }

  /// The side data: one record for elements that only Matroska has, and the boxes.
  var sideData: [SideData] {
    var records: [SideData] = []
    let isBox = { (mapping: BlockAdditionMapping) in
      UInt32(exactly: mapping.type).map { Self.boxes.contains(FourCC(rawValue: $0)) } ?? false
    }
    for mapping in mappings where isBox(mapping) && mapping.value == nil {
      records.append(
        SideData(FourCC(rawValue: UInt32(truncatingIfNeeded: mapping.type)), mapping.extraData))
    }
    var own = self
    own.codecName = ""
    own.mappings = mappings.filter { !isBox($0) || $0.value != nil }
    var writer = EBMLWriter()
    own.write(to: &writer)
    var durations = EBMLWriter()
    own.writeDurations(to: &durations)
    if durations.count > 0 { records.append(SideData(Self.durationType, durations.bytes)) }
    if own.stereoMode > 0 || !projection.isEmpty {
      writer.master(.video) { video in
        if own.stereoMode > 0 { video.unsigned(.stereoMode, own.stereoMode) }
        if !projection.isEmpty { video.binary(.projection, projection) }
      }
    }
    if !codecName.isEmpty { records.append(SideData(Self.codecNameType, Array(codecName.utf8))) }
    if hasAlpha { records.append(SideData(Self.alphaType, [1])) }
    if writer.count > 0 { records.append(SideData(Self.type, writer.bytes)) }
    return records
  }

  private func writeDurations(to entry: inout EBMLWriter) {
    if let defaultDuration { entry.unsigned(.defaultDuration, defaultDuration, length: nil) }
    if let duration = defaultDecodedFieldDuration {
      entry.unsigned(.defaultDecodedFieldDuration, duration, length: nil)
    }
  }

  /// Writes the direct children of TrackEntry, except the durations.
  func write(to entry: inout EBMLWriter) {
    if isTextDescriptions { entry.unsigned(.flagTextDescriptions, 1) }
    if !codecName.isEmpty { entry.text(.codecName, codecName) }
    for mapping in mappings {
      entry.master(.blockAdditionMapping) { element in
        if let value = mapping.value { element.unsigned(.blockAddIDValue, value) }
        if !mapping.name.isEmpty { element.text(.blockAddIDName, mapping.name) }
        element.unsigned(.blockAddIDType, mapping.type)
        if !mapping.extraData.isEmpty { element.binary(.blockAddIDExtraData, mapping.extraData) }
      }
    }
  }
}
