import RespoolPlugin

extension TrackDescription {
  /// Fills in the fields that a video sample entry stores.
  mutating func read(
    visual entry: VisualSampleEntry, format: FourCC, path: String
  ) throws(MediaError) {
    width = Int(entry.width)
    height = Int(entry.height)
    if !entry.compressorName.isEmpty {
      metadata.append(MetadataEntry("encoder", entry.compressorName))
    }
    // Some writers leave zeros.
    if entry.resolution != VisualSampleEntry.usualResolution,
      entry.resolution.contains(where: { $0 != 0 })
    {
      sideData.append(SideData(.resolution, entry.resolution))
    }
    let hasDepth =
      codec == "rawvideo" || codec == "qtrle" || SampleEntryCodecs.video[format] == nil
    bitsPerSample = hasDepth ? Int(entry.depth) : 0
    var reader = ByteReader(entry.children, origin: entry.childrenOrigin)
    if entry.depth & 0x1F <= 8, entry.colorTable == 0, entry.depth & 0x1F > 0 {
      // QuickTime: a color table precedes the boxes.
      try reader.skip(4)
      let last = Int(try reader.big(UInt32.self) & 0xFFFF)
      try reader.skip(min((last + 1) * 8, reader.remaining))
    }
    while case (let type, var payload)? = try reader.nextBox() {
      do throws(MediaError) {
        try read(pictureBox: type, &payload, format: format)
      } catch {
        // A damaged box that is only descriptive must not prevent the video from being decoded.
        guard type == "avcC" || type == "hvcC" || type == "av1C" || type == "esds" else {
          continue
        }
        var error = error
        error.path = "\(path)/\(format)/\(type)"
        throw error
      }
    }
    readVideoConfiguration()
  }

  private mutating func read(pictureBox type: FourCC, _ payload: inout ByteReader, format: FourCC)
    throws(MediaError)
  {
    switch type {
    case "avcC", "hvcC", "av1C", "vpcC", "vvcC", "glbl", "SMI ":
      // FFmpeg's extradata omits version and flags of the vpcC box, and of vvcC.
      if type == "vpcC" || type == "vvcC" { try payload.skip(4) }
      guard extradata.isEmpty || type != "glbl" else { return }
      extradata = Array(try payload.take(payload.remaining))
    case "esds":
      let stream = try ElementaryStreamBox(from: &payload)
      if let name = CodecTable.objectTypes[stream.objectType] { codec = name }
      if !stream.decoderSpecific.isEmpty { extradata = stream.decoderSpecific }
      if stream.averageBitRate > 0 { bitRate = Int64(stream.averageBitRate) }
    case PixelAspectBox.type:
      let aspect = try PixelAspectBox(from: &payload)
      guard aspect.horizontalSpacing > 0, aspect.verticalSpacing > 0 else { return }
      sampleAspect = Rational(
        reducing: Int64(aspect.horizontalSpacing), Int64(aspect.verticalSpacing))
    case CleanApertureBox.type:
      let aperture = try CleanApertureBox(from: &payload).aperture
      if aperture.fits(width: width, height: height) { cleanAperture = aperture }
    case ColorBox.type:
      let whole = payload
      let box = try ColorBox(from: &payload)
      if let stated = box.color {
        color = stated
      } else if let record = SampleEntryRecords.record(type, whole, of: SampleEntryRecords.video) {
        sideData.append(record)
      }
    case FieldBox.type:
      let box = try FieldBox(from: &payload)
      fieldOrder = box.order
      if box.fieldCount == 2 { sideData.append(SideData(.fieldOrder, [2, box.detail])) }
    case BitRateBox.type:
      let rates = try BitRateBox(from: &payload)
      if bitRate == 0 { bitRate = Int64(rates.average) }
    default:
      let record = SampleEntryRecords.record(type, payload, of: SampleEntryRecords.video)
      if let record { sideData.append(record) }
    }
  }
}
