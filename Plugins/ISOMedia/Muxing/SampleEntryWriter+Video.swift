import RespoolPlugin

extension SampleEntryWriter {
  func video() throws(MediaError) -> SampleDescriptionBox.Entry {
    var children = BoxWriter()
    let format = try writeVideoConfiguration(to: &children)
    writeColor(to: &children)
    let aspect = track.sampleAspect
    if aspect.isPositive {
      children.write(
        PixelAspectBox(
          horizontalSpacing: UInt32(aspect.numerator),
          verticalSpacing: UInt32(aspect.denominator)))
    }
    if let aperture = track.cleanAperture, aperture.fits(width: track.width, height: track.height) {
      children.write(CleanApertureBox(aperture: aperture))
    }
    writeFieldOrder(to: &children)
    writeRecords(of: SampleEntryRecords.video(in: flavor), to: &children)
    var entry = VisualSampleEntry(
      width: UInt16(clamping: track.width), height: UInt16(clamping: track.height))
    entry.compressorName = compressorName
    if let resolution = track.sideData[.resolution], resolution.count == 8 {
      entry.resolution = resolution
    }
    entry.children = children.bytes
    return self.entry(format) { entry.write(to: &$0) }
  }

  /// Writes the codec's configuration, and returns the type of the sample entry.
  private func writeVideoConfiguration(to children: inout BoxWriter) throws(MediaError) -> FourCC {
    switch track.codec {
    case "h264":
      let record = try configurationRecord("the avcC record")
      children.box("avcC") { $0.raw(record) }
      return configuration.packetsHaveOtherSets
        ? dolbyVisionFormat(compatible: "avc3", alone: "dvav")
        : dolbyVisionFormat(compatible: "avc1", alone: "dva1")
    case "hevc":
      let record = try configurationRecord("the hvcC record")
      children.box("hvcC") { $0.raw(record) }
      return configuration.packetsHaveOtherSets
        ? dolbyVisionFormat(compatible: "hev1", alone: "dvhe")
        : dolbyVisionFormat(compatible: "hvc1", alone: "dvh1")
    case "av1":
      let record = try configurationRecord("the sequence header of AV1")
      children.box("av1C") { $0.raw(record) }
      return "av01"
    case "vp9", "vp8":
      children.box("vpcC") {
        $0.versionAndFlags(1)
        $0.raw(VPCodecConfiguration(track).boxBody)
      }
      return track.codec == "vp9" ? "vp09" : "vp08"
    case "mjpeg" where flavor == .mov: return "jpeg"
    case "png" where flavor == .mov: return "png "
    case "v308" where flavor == .mov: return "v308"
    case "prores":
      let known: [FourCC] = ["apch", "apcn", "apcs", "apco", "ap4h", "ap4x"]
      return known.contains(storedFormat) ? storedFormat : "apch"
    case "dnxhd":
      writeDNxHR(to: &children)
      return .dnxhr
    default:
      let types: [String: UInt8] = [
        "mpeg4": 0x20, "mpeg2video": 0x61, "mpeg1video": 0x6A, "mjpeg": 0x6C, "png": 0x6D,
      ]
      guard let type = types[track.codec] else {
        throw MediaError(.unsupported, "\(flavor.name) does not carry \(track.codec)")
      }
      var stream = elementaryStream(objectType: type, streamType: 4)
      if track.codec.hasPrefix("mpeg") { stream.decoderSpecific = track.extradata }
      children.write(stream)
      return "mp4v"
    }
  }

  /// Writes the boxes that Avid's programs read: the range of colors, and the compression ID.
  ///
  /// There is no public standard for them; these are the values that Avid's and FFmpeg's files have.
  private func writeDNxHR(to children: inout BoxWriter) {
    children.box("ACLR") { box in
      box.raw("ACLR0001".utf8)
      box.u32(track.color.range == .full ? 2 : 1)
      box.u32(0)
    }
    children.box("ADHR") { box in
      box.raw("0001".utf8)
      for value in [configuration.compressionID, 0, 1, 0, 0] { box.u32(value) }
    }
  }

  /// The name of the encoder, which FFmpeg stores as the track's `encoder`.
  private var compressorName: String {
    track.metadata.first { $0.name.lowercased() == "encoder" && $0.value.utf8.count <= 31 }?.value
      ?? ""
  }

  /// The type of the sample entry in the source.
  private var storedFormat: FourCC { FourCC(rawValue: track.codecTag.byteSwapped) }

  /// Returns the type of the sample entry for H.264 and HEVC.
  ///
  /// Dolby Vision without a compatible base layer has its own type, so that other players know that they
  /// cannot show it. If both types are allowed, the type of the source is kept.
  private func dolbyVisionFormat(compatible: FourCC, alone: FourCC) -> FourCC {
    let record = FourCC.dolbyVision.lazy.compactMap { track.sideData[$0] }.first
    guard let record, let vision = DolbyVisionConfiguration(record) else { return compatible }
    let hadOwnFormat = ["dvh1", "dvhe", "dva1", "dvav"].contains(storedFormat)
    return vision.baseLayerCompatibility == 0 || hadOwnFormat ? alone : compatible
  }

  private func writeColor(to writer: inout BoxWriter) {
    let color = track.color
    let hasRange = color.range == .full || color.range == .limited && flavor != .mov
    let isStated = [color.primaries, color.transfer, color.matrix].contains {
      $0 != H273.unspecified
    }
    guard isStated || hasRange else { return }
    writer.write(
      ColorBox(
        // `nclc`, QuickTime's own type, has no range. Phones write `nclx` into MOV too.
        kind: flavor == .mov && color.range != .full
          ? .nclc : .nclx(isFullRange: color.range == .full),
        primaries: UInt16(color.primaries), transfer: UInt16(color.transfer),
        matrix: UInt16(color.matrix)))
  }

  /// Codecs whose samples store the field order, or are never interlaced.
  private static let codecsWithFieldOrder: Set<String> = [
    "h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4",
  ]

  private func writeFieldOrder(to writer: inout BoxWriter) {
    switch track.fieldOrder {
    case .progressive where flavor == .mov || !Self.codecsWithFieldOrder.contains(track.codec):
      writer.write(FieldBox(fieldCount: 1, detail: 0))
    case .topFirst: writer.write(FieldBox(fieldCount: 2, detail: track.fieldDetail ?? 9))
    case .bottomFirst: writer.write(FieldBox(fieldCount: 2, detail: track.fieldDetail ?? 14))
    case .progressive, .unknown: break
    }
  }
}

extension FourCC {
  /// Type of the sample entry of DNxHR.
  static let dnxhr: FourCC = "AVdh"
}
