import RespoolPlugin

/// Images in HEIF files: HEIC with HEVC, AVIF with AV1 (ISO/IEC 23008-12; AV1 Image File Format).
enum HEIFFormat: ImageReading {
  private static let brands = [
    "heic", "heix", "heim", "heis", "mif1", "mif2", "avif", "miaf", "mif3",
  ]

  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "heif", "HEIC or AVIF image", aliases: ["heic", "avif"],
      extensions: ["heic", "heif", "avif", "hif"],
      mimeTypes: ["image/heic", "image/heif", "image/avif"])
    value.magics = brands.map { FactoryDescription.Magic(Array("ftyp\($0)".utf8), at: 4) }
    return value
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let score = reader.score(bytes, name: name)
    return score >= 75 ? 100 : score
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    guard let size = source.size else {
      throw MediaError(.unsupported, "a HEIF file needs a known size")
    }
    let items = try items(source, size)
    guard let primary = items.primary, let item = items.items[primary] else {
      throw MediaError(.malformed, "the file names no image that it has", path: "meta/pitm")
    }
    var image: Image
    let hasAlpha = items.references.contains {
      $0.type == "auxl" && $0.to.contains(primary)
        && isTransparency(items.properties(of: $0.from))
    }
    let isCropped = items.properties(of: primary).contains { $0.type == "clap" }
    switch item.type {
    case "hvc1" where !hasAlpha && !isCropped, "hev1" where !hasAlpha && !isCropped,
      "av01" where !hasAlpha && !isCropped:
      let codec = item.type == "av01" ? "av1" : "hevc"
      image = Image(
        try track(codec, items.properties(of: primary)),
        try payload(source, items.places(of: primary), size))
    case "hvc1", "hev1", "av01", "grid", "iovl", "iden", "avc1", "jpeg", "tmap":
      // The decoder gets the whole file and puts the parts together.
      image = Image(
        try assembledTrack(items, primary, hasAlpha: hasAlpha), .range(offset: 0, length: size))
    default:
      throw MediaError(
        .unsupported, "the image is of the type \(item.type.isEmpty ? "unknown" : item.type)",
        path: "meta/iinf")
    }
    try describe(&image, items, primary, source, size)
    return image
  }

  private static func items(_ source: ByteSource, _ size: Int64) throws(MediaError) -> HEIFItems {
    guard let body = try box("meta", in: source, size) else {
      throw MediaError(.malformed, "the file has no box meta")
    }
    guard body.count <= HEIFItems.mostBytes else {
      throw MediaError(
        .limitExceeded, "a box of \(body.count) bytes", offset: body.lowerBound, path: "meta")
    }
    let bytes = try source.readExactly(at: body.lowerBound, count: body.count)
    return try HEIFItems(bytes, at: body.lowerBound)
  }

  /// Returns the place of the body of the first box of a type; `nil` if there is none.
  private static func box(_ wanted: String, in source: ByteSource, _ size: Int64)
    throws(MediaError) -> Range<Int64>?
  {
    var place: Int64 = 0
    while place <= size - 8 {
      var head = ByteReader(try source.read(at: place, count: 16), origin: place)
      var length = Int64(try head.big(UInt32.self))
      let type = try head.text(4)
      if length == 1 { length = Int64(clamping: try head.big(UInt64.self)) }
      if length == 0 { length = size - place }
      guard length >= Int64(head.position) else {
        throw MediaError(.malformed, "a box of \(length) bytes", offset: place)
      }
      let end = place.addingClamped(length)
      if type == wanted { return place + Int64(head.position)..<end }
      place = end
    }
    return nil
  }

  /// Returns the track of an image with the properties of its item.
  private static func track(_ codec: String, _ properties: [HEIFItems.Property])
    throws(MediaError) -> TrackDescription
  {
    var track = TrackDescription(image: codec, width: 0, height: 0)
    var turn = HEIFTurn()
    for property in properties {
      var reader = ByteReader(property.body)
      switch property.type {
      case "ispe":
        try reader.skip(4)
        track.width = Int(clamping: try reader.big(UInt32.self))
        track.height = Int(clamping: try reader.big(UInt32.self))
      case "hvcC", "av1C": track.extradata = Array(property.body)
      case "colr": try takeColor(property.body, &track)
      case "pasp":
        let (x, y) = (try reader.big(UInt32.self), try reader.big(UInt32.self))
        if x != y, x > 0, y > 0 { track.sampleAspect = Rational(reducing: Int64(x), Int64(y)) }
      case "clap": track.cleanAperture = try CleanAperture(&reader)
      case "irot": turn.angle = try reader.u8() & 3
      case "imir": turn.mirror = try reader.u8() & 1
      case "clli", "mdcv":
        track.sideData.append(SideData(FourCC(property.type), Array(property.body)))
      default: break
      }
    }
    guard (1...65_536).contains(track.width), (1...65_536).contains(track.height) else {
      throw MediaError(
        .malformed, "the image has \(track.width)x\(track.height) pixels", path: "meta/iprp")
    }
    track.displayMatrix = turn.matrix
    let size = (track.width, track.height)
    // It has the color if there is no box for it.
    track.readVideoConfiguration()
    (track.width, track.height) = size
    return track
  }

  /// Returns the track of an image that is made of others, whose coding the first of them has.
  private static func assembledTrack(_ items: HEIFItems, _ primary: UInt32, hasAlpha: Bool)
    throws(MediaError) -> TrackDescription
  {
    var track = try track("heif", items.properties(of: primary))
    crop(&track)
    let parts = items.references.first { $0.type == "dimg" && $0.from == primary }?.to ?? []
    let first = parts.first ?? primary
    guard let item = items.items[first],
      let codec = ["hvc1": "hevc", "hev1": "hevc", "av01": "av1"][item.type]
    else { return track }
    let part = try Self.track(codec, items.properties(of: first))
    track.pixelFormat =
      hasAlpha ? part.pixelFormat.withTransparency ?? .none : part.pixelFormat
    track.color = track.color.completed(by: part.color, isYUV: true)
    if let profile = part.sideData[.colorProfile] {
      track.add(profile: Array(profile.dropFirst(4)))
    }
    return track
  }

  /// Reduces the track to the part of the image that is shown, which the decoder gets as four numbers of 32 bits.
  private static func crop(_ track: inout TrackDescription) {
    track.extradata = []
    guard let aperture = track.cleanAperture else { return }
    track.cleanAperture = nil
    let part = aperture.rectangle(width: track.width, height: track.height)
    let (x, y) = (Int(part.x.rounded(.down)), Int(part.y.rounded(.down)))
    let width = min(track.width - x, Int(part.width.rounded()))
    let height = min(track.height - y, Int(part.height.rounded()))
    guard x >= 0, y >= 0, width > 0, height > 0,
      (width, height) != (track.width, track.height)
    else { return }
    (track.width, track.height) = (width, height)
    track.extradata = [x, y, width, height].flatMap { UInt32($0).bigEndianBytes }
  }

  private static func takeColor(_ body: ArraySlice<UInt8>, _ track: inout TrackDescription)
    throws(MediaError)
  {
    var reader = ByteReader(body)
    switch try reader.text(4) {
    case "nclx":
      track.color.primaries = UInt8(clamping: try reader.big(UInt16.self))
      track.color.transfer = UInt8(clamping: try reader.big(UInt16.self))
      track.color.matrix = UInt8(clamping: try reader.big(UInt16.self))
      track.color.range = try reader.u8() & 0x80 != 0 ? .full : .limited
    case "prof", "rICC": track.add(profile: Array(body.dropFirst(4)))
    default: break
    }
  }

  /// Returns the bytes of an item, as a range of the file if they are in one piece.
  private static func payload(_ source: ByteSource, _ places: [Range<Int64>], _ size: Int64)
    throws(MediaError) -> Packet.Payload
  {
    if places.count == 1, places[0].upperBound <= size {
      return .range(offset: places[0].lowerBound, length: Int64(places[0].count))
    }
    return .bytes(MediaBuffer(try bytes(source, places, size)))
  }

  private static func bytes(_ source: ByteSource, _ places: [Range<Int64>], _ size: Int64)
    throws(MediaError) -> [UInt8]
  {
    var bytes: [UInt8] = []
    for place in places {
      let end = place.upperBound == .max ? size : place.upperBound
      guard place.lowerBound <= end, end <= size, Int64(bytes.count) <= size else {
        throw MediaError(
          .malformed, "the bytes of an item lie outside of the file", offset: place.lowerBound)
      }
      bytes += try source.readExactly(at: place.lowerBound, count: Int(end - place.lowerBound))
    }
    return bytes
  }

  /// Adds Exif data, XMP and the names of what else belongs to the image.
  private static func describe(
    _ image: inout Image, _ items: HEIFItems, _ primary: UInt32, _ source: ByteSource,
    _ size: Int64
  ) throws(MediaError) {
    for reference in items.references where reference.to.contains(primary) {
      guard let item = items.items[reference.from] else { continue }
      switch (reference.type, item.type) {
      case ("cdsc", "Exif") where image.exif == nil:
        // The offset of the structure comes first (ISO/IEC 23008-12 annex A.2.1).
        var reader = ByteReader(try bytes(source, items.places(of: reference.from), size))
        try reader.skip(Int(try reader.big(UInt32.self)))
        image.exif = Array(try reader.take(reader.remaining))
      case ("cdsc", "mime") where item.contentType == "application/rdf+xml" && image.xmp == nil:
        image.xmp = try bytes(source, items.places(of: reference.from), size)
      case ("auxl", _) where !isTransparency(items.properties(of: reference.from)):
        image.others.append(auxiliaryName(items.properties(of: reference.from)))
      default: break
      }
    }
    // The box of Google's motion photos (Android, motion photo format 1.0).
    if (try? box("mpvd", in: source, size)) != nil {
      image.others.append("video of the motion photo")
    }
    let further = items.items.filter { id, item in
      id != primary && !item.isHidden
        && ["hvc1", "av01", "grid", "iden", "iovl"].contains(item.type)
        && !items.references.contains {
          $0.from == id && ["thmb", "auxl"].contains($0.type)
            || $0.type == "dimg" && $0.to.contains(id)
        }
    }
    if !further.isEmpty {
      image.others.append("\(further.count.counting("further image")) of the file")
    }
  }

  /// Returns `true` for the properties of an image of transparency (ISO/IEC 23008-12 6.5.8; ISO/IEC 23000-22 7.3.5.2).
  private static func isTransparency(_ properties: [HEIFItems.Property]) -> Bool {
    [
      "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    ].contains(auxiliaryType(properties))
  }

  private static func auxiliaryType(_ properties: [HEIFItems.Property]) -> String? {
    properties.first { $0.type == "auxC" }.map {
      String(decoding: $0.body.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func auxiliaryName(_ properties: [HEIFItems.Property]) -> String {
    switch auxiliaryType(properties) {
    case .some("urn:mpeg:hevc:2015:auxid:2"), .some("urn:mpeg:mpegB:cicp:systems:auxiliary:depth"):
      "depth (auxiliary image)"
    case .some(let other): "auxiliary image \(other)"
    case nil: "auxiliary image"
    }
  }
}

extension CleanAperture {
  /// Reads the box `clap`: four fractions, the last two with a sign (ISO/IEC 14496-12 12.1.4).
  fileprivate init(_ reader: inout ByteReader) throws(MediaError) {
    func fraction() throws(MediaError) -> Rational {
      let (over, under) = (try reader.big(UInt32.self), try reader.big(UInt32.self))
      return Rational(Int32(bitPattern: over), Int32(clamping: under))
    }
    self.init(
      width: try fraction(), height: try fraction(), horizontalOffset: try fraction(),
      verticalOffset: try fraction())
  }
}

extension PixelFormat {
  /// The format with the same samples and transparency; `nil` if there is none.
  fileprivate var withTransparency: PixelFormat? {
    name.hasPrefix("yuv4") ? PixelFormat(name: "yuva" + name.dropFirst(3)) : nil
  }
}

/// Rotation and mirroring of an image (ISO/IEC 23008-12 6.5.10 and 6.5.12): first the rotation.
struct HEIFTurn {
  /// Quarters of a rotation against the clock.
  var angle: UInt8 = 0
  /// 0 exchanges top and bottom, 1 left and right; `nil` for neither.
  var mirror: UInt8?

  init() {}

  /// Takes the nearest rotation and mirroring of a transformation.
  init(_ matrix: DisplayMatrix) {
    let orientation = matrix.orientation
    let quarters = UInt8(orientation.clockwiseDegrees / 90)
    // Mirroring after a rotation is the opposite rotation after mirroring.
    (angle, mirror) = orientation.mirrored ? (quarters, 1) : ((4 - quarters) % 4, nil)
  }

  var matrix: DisplayMatrix {
    let degrees =
      switch mirror {
      case nil: 360 - Int(angle) * 90
      case 1: Int(angle) * 90
      default: 180 + Int(angle) * 90
      }
    return DisplayMatrix(clockwiseAngle: Double(degrees % 360), mirrored: mirror != nil)
  }
}
