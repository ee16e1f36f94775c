import RespoolPlugin

/// A builder of a track's sample description box.
struct SampleEntryWriter {
  let writer: TrackWriter
  /// `true` to store the measured bit rate.
  var isMeasured = true
  /// The track description for the current format.
  private(set) var track: TrackDescription
  private(set) var configuration: CodecConfiguration
  var flavor: Flavor { writer.flavor }

  init(_ writer: TrackWriter) {
    self.writer = writer
    track = writer.track
    configuration = writer.configurations[0]
  }

  /// Returns an entry for each combination of format and referenced file.
  func description() throws(MediaError) -> SampleDescriptionBox {
    let formats = writer.track.formats
    let files = writer.files
    var entries: [SampleDescriptionBox.Entry] = []
    for used in writer.entries.isEmpty ? [.init()] : writer.entries {
      var described = self
      described.track = formats[used.format]
      described.configuration = writer.configurations[used.format]
      var entry = try described.entry()
      let file = (files.firstIndex(of: used.file) ?? 0) + 1
      // The data reference index follows six zeros (ISO/IEC 14496-12 8.5.2.2).
      entry.payload.replaceSubrange(6..<8, with: UInt16(clamping: file).bigEndianBytes)
      entries.append(entry)
    }
    return SampleDescriptionBox(entries: entries)
  }

  private func entry() throws(MediaError) -> SampleDescriptionBox.Entry {
    switch track.kind {
    case .video: try video()
    case .audio: try audio()
    case .data: metadata()
    default: track.codec == "text" ? chapterText() : text()
    }
  }

  // MARK: Pictures

  private func video() throws(MediaError) -> SampleDescriptionBox.Entry {
    var children = BoxWriter()
    let format: FourCC
    switch track.codec {
    case "h264":
      format = dolbyVisionFormat(compatible: "avc1", alone: "dva1")
      let record = try needed("the avcC record")
      children.box("avcC") { $0.raw(record) }
    case "hevc":
      format = dolbyVisionFormat(compatible: "hvc1", alone: "dvh1")
      let record = try needed("the hvcC record")
      children.box("hvcC") { $0.raw(record) }
    case "av1":
      format = "av01"
      let record = try needed("the sequence header of AV1")
      children.box("av1C") { $0.raw(record) }
    case "vp9", "vp8":
      format = track.codec == "vp9" ? "vp09" : "vp08"
      let body = vpConfiguration().boxBody
      children.box("vpcC") {
        $0.versionAndFlags(1)
        $0.raw(body)
      }
    case "mjpeg" where flavor == .mov: format = "jpeg"
    case "png" where flavor == .mov: format = "png "
    case "prores": format = proResFormat
    default:
      format = "mp4v"
      let types: [String: UInt8] = [
        "mpeg4": 0x20, "mpeg2video": 0x61, "mpeg1video": 0x6A, "mjpeg": 0x6C, "png": 0x6D,
      ]
      guard let type = types[track.codec] else {
        throw MediaError(.unsupported, "\(flavor.name) does not carry \(track.codec)")
      }
      var stream = ElementaryStreamBox(objectType: type, streamType: 4)
      stream.streamID = UInt16(clamping: writer.trackID)
      stream.averageBitRate = averageBitRate
      stream.maximumBitRate = averageBitRate
      if track.codec == "mpeg4" || track.codec.hasPrefix("mpeg") {
        stream.decoderSpecific = track.extradata
      }
      children.write(stream)
    }
    writeColor(to: &children)
    let aspect = track.sampleAspect
    if aspect.isPositive, track.kind == .video {
      children.write(
        PixelAspectBox(
          horizontalSpacing: UInt32(aspect.numerator),
          verticalSpacing: UInt32(aspect.denominator)))
    }
    if let aperture = track.cleanAperture, aperture.fits(width: track.width, height: track.height) {
      children.write(CleanApertureBox(aperture: aperture))
    }
    writeFields(to: &children)
    SampleEntryRecords.write(
      track.sideData, of: SampleEntryRecords.video, codec: track.codec, to: &children)
    if flavor != .mov, averageBitRate > 0 {
      children.write(BitRateBox(maximum: averageBitRate, average: averageBitRate))
    }
    var entry = VisualSampleEntry(
      width: UInt16(clamping: track.width), height: UInt16(clamping: track.height))
    entry.compressorName = compressorName
    if let resolution = track.sideData[.resolution], resolution.count == 8 {
      entry.resolution = resolution
    }
    entry.children = children.bytes
    return make(format) { entry.write(to: &$0) }
  }

  /// The name of the encoder, which FFmpeg stores as the track's `encoder`.
  private var compressorName: String {
    track.metadata.first { $0.name.lowercased() == "encoder" && $0.value.utf8.count <= 31 }?.value
      ?? ""
  }

  /// Returns the type of the sample entry for H.264 and HEVC.
  ///
  /// Dolby Vision without a compatible base layer has its own type, so that other players know that they
  /// cannot show it. If both types are allowed, the type of the source is kept.
  private func dolbyVisionFormat(compatible: FourCC, alone: FourCC) -> FourCC {
    let record = FourCC.dolbyVision.lazy.compactMap { track.sideData[$0] }.first
    guard let record, let vision = DolbyVisionConfiguration(record) else { return compatible }
    let stated = FourCC(rawValue: track.codecTag.byteSwapped)
    let isOfVision = ["dvh1", "dvhe", "dva1", "dvav"].contains(stated)
    return vision.baseLayerCompatibility == 0 || isOfVision ? alone : compatible
  }

  private var proResFormat: FourCC {
    let stated = FourCC(rawValue: track.codecTag.byteSwapped)
    let known: Set<FourCC> = ["apch", "apcn", "apcs", "apco", "ap4h", "ap4x"]
    return known.contains(stated) ? stated : "apch"
  }

  private func writeColor(to writer: inout BoxWriter) {
    let color = track.color
    let hasRange = color.range == .full || color.range == .limited && flavor != .mov
    guard color.primaries != 2 || color.transfer != 2 || color.matrix != 2 || hasRange else {
      return
    }
    writer.write(
      ColorBox(
        // `nclc`, QuickTime's own type, has no range. Phones write `nclx` into MOV too.
        kind: flavor == .mov && color.range != .full
          ? .nclc : .nclx(isFullRange: color.range == .full),
        primaries: UInt16(color.primaries), transfer: UInt16(color.transfer),
        matrix: UInt16(color.matrix)))
  }

  /// Codecs whose samples signal interlacing themselves, or are never interlaced.
  private static let tellFields: Set<String> = [
    "h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4",
  ]

  private func writeFields(to writer: inout BoxWriter) {
    switch track.fieldOrder {
    case .progressive where flavor == .mov || !Self.tellFields.contains(track.codec):
      writer.write(FieldBox(fieldCount: 1, detail: 0))
    case .progressive: break
    case .topFirst: writer.write(FieldBox(fieldCount: 2, detail: track.fieldDetail ?? 9))
    case .bottomFirst: writer.write(FieldBox(fieldCount: 2, detail: track.fieldDetail ?? 14))
    case .unknown: break
    }
  }

  /// Returns the track's record, or converts WebM's form of it, or derives one from the description.
  private func vpConfiguration() -> VPCodecConfiguration {
    if track.extradata.count >= 8, track.extradata[0] <= 3,
      let stated = try? VPCodecConfiguration(boxBody: track.extradata), stated.bitDepth >= 8
    {
      return stated
    }
    var depth = 8
    var chroma: UInt8 = 1
    var made = VPCodecConfiguration(profile: 0, level: 0, bitDepth: 8, chromaSubsampling: 1)
    if !track.extradata.isEmpty, let stated = try? VPCodecConfiguration(webM: track.extradata) {
      made = stated
    } else {
      let name = track.pixelFormat.name
      if name.hasPrefix("yuv422") { chroma = 2 }
      if name.hasPrefix("yuv444") || name.hasPrefix("gbr") { chroma = 3 }
      if name.contains("10") { depth = 10 }
      if name.contains("12") { depth = 12 }
      // Profiles 0 to 3: the upper bit means high bit depth, the lower bit other chroma formats (VP9 7.2).
      made.profile = UInt8(clamping: track.profile ?? ((depth > 8 ? 2 : 0) + (chroma > 1 ? 1 : 0)))
      made.bitDepth = UInt8(depth)
      made.chromaSubsampling = chroma
    }
    if made.level == 0 { made.level = UInt8(clamping: track.level ?? Int32(vpLevel)) }
    if track.color.primaries != 2 { made.colorPrimaries = track.color.primaries }
    if track.color.transfer != 2 { made.transferCharacteristics = track.color.transfer }
    if track.color.matrix != 2 { made.matrixCoefficients = track.color.matrix }
    made.isFullRange = track.color.range == .full
    return made
  }

  /// The lowest level that allows the frame size and the frame rate (VP9 Levels, webmproject.org).
  private var vpLevel: Int {
    let size = track.width * track.height
    let rate = Double(size) * max(1, track.frameRate.doubleValue)
    let levels: [(Int, Double, Int)] = [
      (10, 829_440, 36864), (11, 2_764_800, 73728), (20, 4_608_000, 122_880),
      (21, 9_216_000, 245_760), (30, 20_736_000, 552_960), (31, 36_864_000, 983_040),
      (40, 83_558_400, 2_228_224), (41, 160_432_128, 2_228_224), (50, 311_951_360, 8_912_896),
      (51, 588_251_136, 8_912_896), (52, 1_176_502_272, 8_912_896),
      (60, 1_176_502_272, 35_651_584), (61, 2_353_004_544, 35_651_584),
    ]
    return levels.first { rate <= $0.1 && size <= $0.2 }?.0 ?? 62
  }

  // MARK: Texts

  private func text() -> SampleDescriptionBox.Entry {
    // At least 18 bytes of display settings (3GPP TS 26.245 5.16), or defaults if there are none.
    let stated = track.codec == "mov_text" && track.extradata.count >= 18 ? track.extradata : nil
    return make("tx3g") {
      $0.zeros(6)
      $0.u16(1)
      if let stated {
        $0.raw(stated)
        return
      }
      // Display flags: some samples are forced, and all of them are.
      $0.u32(track.disposition.contains(.forced) ? 0xC000_0000 : 0)
      $0.raw([1, 0xFF, 0, 0, 0, 0])
      $0.zeros(8)
      $0.raw([0, 0, 0, 0, 0, 1, 0, 16, 0xFF, 0xFF, 0xFF, 0xFF])
      $0.box("ftab") {
        $0.u16(1)
        $0.u16(1)
        $0.u8(5)
        $0.raw("Arial".utf8)
      }
    }
  }

  /// Returns QuickTime's text description with default settings.
  private func chapterText() -> SampleDescriptionBox.Entry {
    make("text") {
      $0.zeros(6)
      $0.u16(1)
      $0.u32(1)
      $0.zeros(47)
    }
  }

  /// Returns the entry for timed metadata: its table of keys (14496-12 12.9).
  private func metadata() -> SampleDescriptionBox.Entry {
    make("mebx") {
      $0.zeros(6)
      $0.u16(1)
      $0.raw(track.extradata)
    }
  }

  // MARK: Parts

  func make(_ format: FourCC, _ body: (inout BoxWriter) -> Void) -> SampleDescriptionBox.Entry {
    var writer = BoxWriter()
    body(&writer)
    return .init(format: format, payload: writer.bytes)
  }

  func needed(_ what: String) throws(MediaError) -> [UInt8] {
    let record = try configuration.record(for: track)
    guard !record.isEmpty else {
      throw MediaError(
        .malformed, "neither the track nor its first packet has \(what)")
    }
    return record
  }

  /// Average bit rate in bits per second, measured from the written media.
  ///
  /// 0 if unknown (ISO/IEC 14496-1 7.2.6.6).
  var averageBitRate: UInt32 {
    guard isMeasured, writer.mediaDuration > 0 else { return 0 }
    let bits = Int128(writer.byteCount) * 8 * Int128(writer.timeScale)
    return UInt32(clamping: bits / Int128(writer.mediaDuration))
  }
}
