import RespoolPlugin

/// AVIF files (AV1 Image File Format 1.1).
enum AVIFWriter: ImageWriting {
  static var turnsByProperty: Bool { true }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "avif", "AVIF image", extensions: ["avif"],
      mimeTypes: ["image/avif"])
    value.codecs = ["av1"]
    value.flags = .keepsRotation
    return value
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    // An item is a temporal unit (2.1) with the sequence header, which some encoders state only there.
    let own = try AV1Configuration(units: packet)
    let stated = AV1Configuration.isRecord(image.track.extradata) ? image.track.extradata : []
    guard let record = stated.isEmpty ? own?.bytes : stated else {
      throw MediaError(.malformed, "the configuration of AV1 is missing", track: 0)
    }
    let unit = (own == nil ? Array(record.dropFirst(4)) : []) + packet
    return try HEIFWriter.file(
      image, unit, type: "av01", configuration: ("av1C", record),
      brands: ["avif", "avif", "mif1", "miaf"])
  }
}

/// HEIC files (ISO/IEC 23008-12 annex B).
enum HEICWriter: ImageWriting {
  static var turnsByProperty: Bool { true }

  static var writer: FactoryDescription {
    var value = FactoryDescription(
      image: .muxer, "heic", "HEIC image", aliases: ["heif"], extensions: ["heic", "heif"],
      mimeTypes: ["image/heic"])
    value.codecs = ["hevc"]
    value.flags = .keepsRotation
    return value
  }

  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8] {
    guard image.track.extradata.first == 1 else {
      throw MediaError(.malformed, "the configuration of HEVC is missing", track: 0)
    }
    // `heic` needs the profile Main or Main Still Image, `heix` takes others (B.4.1).
    let isMain = [1, 3].contains(image.track.extradata.dropFirst().first.map { $0 & 31 })
    return try HEIFWriter.file(
      image, packet, type: "hvc1", configuration: ("hvcC", image.track.extradata),
      brands: isMain ? ["heic", "mif1", "heic", "miaf"] : ["heix", "mif1", "heix", "miaf"])
  }
}

/// A writer of HEIF files with one coded image.
enum HEIFWriter {
  /// Returns a file with an image of an item type, its configuration record and its data.
  ///
  /// `brands` are the major and the compatible ones.
  static func file(
    _ image: WrittenImage, _ data: [UInt8], type: String,
    configuration: (type: String, record: [UInt8]),
    brands: [String]
  ) throws(MediaError) -> [UInt8] {
    var parts: [(type: String, extra: String, data: [UInt8])] = [(type, "", data)]
    if let exif = image.exif { parts.append(("Exif", "", [0, 0, 0, 0] + exif)) }
    if let xmp = image.xmp { parts.append(("mime", "application/rdf+xml", xmp)) }
    let size = parts.reduce(0) { $0 + $1.data.count }
    guard size < Int(Int32.max) else {
      throw MediaError(.unsupported, "an image of \(size) bytes", track: 0)
    }
    let head = box("ftyp", Array((brands[0] + "\0\0\0\0" + brands.dropFirst().joined()).utf8))
    // The size of the box does not depend on the offsets in it.
    let length = head.count + meta(image, parts, configuration, start: 0).count + 8
    return head + meta(image, parts, configuration, start: length)
      + box("mdat", parts.flatMap(\.data))
  }

  private static func meta(
    _ image: WrittenImage, _ parts: [(type: String, extra: String, data: [UInt8])],
    _ configuration: (type: String, record: [UInt8]), start: Int
  ) -> [UInt8] {
    var body = fullBox("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13))
    body += fullBox("pitm", UInt16(1).bigEndianBytes)
    var (places, entries, references): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var place = start
    for (index, part) in parts.enumerated() {
      let id = UInt16(index + 1).bigEndianBytes
      places += id + [0, 0, 0, 1] + UInt32(place).bigEndianBytes
      places += UInt32(part.data.count).bigEndianBytes
      place += part.data.count
      let extra = part.extra.isEmpty ? [] : Array(part.extra.utf8) + [0]
      // Only the image itself is not hidden.
      entries += fullBox(
        "infe", id + [0, 0] + Array(part.type.utf8) + [0] + extra, version: 2,
        flags: index == 0 ? 0 : 1)
      if index > 0 { references += box("cdsc", id + [0, 1, 0, 1]) }
    }
    let count = UInt16(parts.count).bigEndianBytes
    body += fullBox("iloc", [0x44, 0] + count + places)
    body += fullBox("iinf", count + entries)
    if !references.isEmpty { body += fullBox("iref", references) }
    body += box("iprp", properties(of: image, configuration))
    return fullBox("meta", body)
  }

  private static func properties(
    of image: WrittenImage, _ configuration: (type: String, record: [UInt8])
  ) -> [UInt8] {
    let track = image.track
    // A property that changes how the image is shown is essential (ISO/IEC 23008-12 9.3.2).
    var properties: [(bytes: [UInt8], isEssential: Bool)] = [
      (
        fullBox(
          "ispe", UInt32(track.width).bigEndianBytes + UInt32(track.height).bigEndianBytes), false
      ),
      (box(configuration.type, configuration.record), true),
    ]
    let layout = track.pixelFormat.layout
    let channels = layout?.family == .gray ? 1 : 3
    let depth = UInt8(clamping: layout?.depth ?? 8)
    properties.append(
      (
        fullBox("pixi", [UInt8(channels)] + Array(repeating: depth, count: channels)), false
      ))
    if let profile = image.profile {
      properties.append((box("colr", Array("prof".utf8) + profile), false))
    }
    let color = track.color
    properties.append(
      (
        box(
          "colr",
          Array("nclx".utf8)
            + [color.primaries, color.transfer, color.matrix].flatMap { UInt16($0).bigEndianBytes }
            + [color.range == .full ? 0x80 : 0]), false
      ))
    if track.sampleAspect.isPositive, track.sampleAspect != Rational(1, 1) {
      let aspect = track.sampleAspect
      properties.append(
        (
          box(
            "pasp",
            UInt32(aspect.numerator).bigEndianBytes + UInt32(aspect.denominator).bigEndianBytes),
          false
        ))
    }
    for type: FourCC in [.contentLightLevel, .masteringDisplay] {
      if let bytes = track.sideData[type] { properties.append((box("\(type)", bytes), false)) }
    }
    let turn = HEIFTurn(track.displayMatrix)
    if turn.angle != 0 { properties.append((box("irot", [turn.angle]), true)) }
    if let mirror = turn.mirror { properties.append((box("imir", [mirror]), true)) }
    let links = properties.enumerated().map { index, property in
      UInt8(index + 1) | (property.isEssential ? 0x80 : 0)
    }
    let association = [0, 0, 0, 1, 0, 1, UInt8(links.count)] + links
    return box("ipco", properties.flatMap(\.bytes)) + fullBox("ipma", association)
  }

  private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    UInt32(body.count + 8).bigEndianBytes + Array(type.utf8) + body
  }

  private static func fullBox(_ type: String, _ body: [UInt8], version: UInt8 = 0, flags: UInt8 = 0)
    -> [UInt8]
  {
    box(type, [version, 0, 0, flags] + body)
  }
}
