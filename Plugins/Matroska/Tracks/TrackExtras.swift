import RespoolPlugin

/// Elements of a TrackEntry that a track description has no property for, kept from Matroska to Matroska.
///
/// Stored as side data of the track: one record for each property, so that a loss can be named.
struct TrackExtras {
  /// Side data type for BlockAdditionMapping elements.
  static let additionsType: FourCC = "MKba"
  /// Side data type for a number: FlagTextDescriptions, StereoMode and Emphasis.
  static let textDescriptionsType: FourCC = "MKtd"
  /// Side data type that marks a FlagOriginal of 0; other tracks without the flag have none.
  static let dubbedType: FourCC = "MKdu"
  static let stereoType: FourCC = "MKsm"
  static let emphasisType: FourCC = "MKem"
  /// Side data type for the body of Projection.
  static let projectionType: FourCC = "MKpj"
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
  private var isDubbed = false
  private(set) var stereoMode = 0
  private(set) var emphasis = 0
  /// The body of Projection.
  ///
  /// Empty if the video is flat and the display matrix says everything.
  private(set) var projection: [UInt8] = []
  /// Side data type for the text of CodecName.
  static let codecNameType: FourCC = "MKcn"
  private var codecName = ""
  private var hasAlpha = false
  /// Side data type that marks an alpha channel beside the frames.
  static let alphaType: FourCC = "MKal"
  private(set) var mappings: [BlockAdditionMapping] = []
  private(set) var copied = CopiedElements()

  init(_ entry: TrackEntry) {
    defaultDuration = entry.defaultDuration
    defaultDecodedFieldDuration = entry.defaultDecodedFieldDuration
    isTextDescriptions = entry.isTextDescriptions
    isDubbed = entry.isDubbed
    codecName = entry.codecName
    stereoMode = entry.video.stereoMode
    emphasis = entry.audio.emphasis
    if entry.video.hasFurtherProjection { projection = entry.video.projection }
    hasAlpha = entry.video.alphaMode != 0
    mappings = entry.blockAdditions
    copied = entry.copied
  }

  /// Reads the side data of a track.
  init(_ sideData: [SideData]) {
    if let text = sideData[Self.codecNameType] { codecName = String(decoding: text, as: UTF8.self) }
    isTextDescriptions = sideData[Self.textDescriptionsType] == [1]
    isDubbed = sideData[Self.dubbedType] == [1]
    stereoMode = Int(sideData[Self.stereoType]?.first ?? 0)
    emphasis = Int(sideData[Self.emphasisType]?.first ?? 0)
    projection = sideData[Self.projectionType] ?? []
    copied = CopiedElements(sideData)
    for type in [Self.additionsType, Self.durationType] {
      guard let bytes = sideData[type] else { continue }
      let record = EBMLElement(.trackEntry, in: "", payload: ByteReader(bytes))
      try? record.forEachChild { (child) throws(MediaError) in
        switch child.id {
        case .defaultDuration: defaultDuration = try child.unsigned
        case .defaultDecodedFieldDuration: defaultDecodedFieldDuration = try child.unsigned
        case .blockAdditionMapping: mappings.append(try BlockAdditionMapping(child))
        default: break
        }
      }
    }
    for record in sideData where Self.boxes.contains(record.type) {
      mappings.append(
        BlockAdditionMapping(type: UInt64(record.type.rawValue), extraData: record.bytes))
    }
  }

  /// The side data: a record for each property that only Matroska has, and the boxes.
  var sideData: [SideData] {
    var records: [SideData] = []
    let isBox = { (mapping: BlockAdditionMapping) in
      UInt32(exactly: mapping.type).map { Self.boxes.contains(FourCC(rawValue: $0)) } ?? false
    }
    for mapping in mappings where isBox(mapping) && mapping.value == nil {
      records.append(
        SideData(FourCC(rawValue: UInt32(truncatingIfNeeded: mapping.type)), mapping.extraData))
    }
    var durations = EBMLWriter()
    writeDurations(to: &durations)
    if durations.count > 0 { records.append(SideData(Self.durationType, durations.bytes)) }
    if !codecName.isEmpty { records.append(SideData(Self.codecNameType, Array(codecName.utf8))) }
    if hasAlpha { records.append(SideData(Self.alphaType, [1])) }
    if isTextDescriptions { records.append(SideData(Self.textDescriptionsType, [1])) }
    if isDubbed { records.append(SideData(Self.dubbedType, [1])) }
    for (type, value) in [(Self.stereoType, stereoMode), (Self.emphasisType, emphasis)] {
      if value > 0 { records.append(SideData(type, [UInt8(clamping: value)])) }
    }
    if !projection.isEmpty { records.append(SideData(Self.projectionType, projection)) }
    var additions = EBMLWriter()
    for mapping in mappings where !isBox(mapping) || mapping.value != nil {
      mapping.write(to: &additions)
    }
    if additions.count > 0 { records.append(SideData(Self.additionsType, additions.bytes)) }
    if let record = copied.record { records.append(record) }
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
    if isDubbed { entry.unsigned(.flagOriginal, 0) }
    if !codecName.isEmpty { entry.text(.codecName, codecName) }
    copied.writeChildren(of: .trackEntry, to: &entry)
    for mapping in mappings { mapping.write(to: &entry) }
  }
}
