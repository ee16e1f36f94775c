import RespoolPlugin

/// The segments of a JPEG file before its first scan (ITU-T T.81 B.2).
struct JPEGSegments {
  private(set) var exif: [UInt8]?
  private(set) var xmp: [UInt8]?
  /// The extension to which the XMP packet refers.
  private(set) var extendedXMP: [UInt8]?
  private(set) var profile: [UInt8]?
  private(set) var comment: String?
  private(set) var frame: JPEGFrame
  /// Names of parts that no muxer writes.
  private(set) var others: [String] = []
  /// `true` if the segments refer to images after the first one (CIPA DC-007).
  private(set) var hasMoreImages = false
  /// `true` if the file has no end marker.
  private(set) var endsEarly = false

  private static let exifName = Array("Exif\0\0".utf8)
  private static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  private static let profileName = Array("ICC_PROFILE\0".utf8)
  private static let commentMarker: UInt8 = 0xFE
  private static let moreImages = Array("MPF\0".utf8)
  /// Most bytes of a body (ITU-T T.81 B.1.1.4).
  private static let mostBytes = 65_533
  /// More segments than any program writes.
  private static let mostSegments = 4096

  /// A marker with its body.
  private struct Segment {
    let marker: UInt8
    let body: [UInt8]

    func has(_ name: [UInt8]) -> Bool { body.starts(with: name) }

    /// `true` for a segment that a muxer writes again.
    var isDescription: Bool {
      switch marker {
      case 0xE1: has(exifName) || has(xmpName) || ExtendedXMP.Part(body) != nil
      case 0xE2: has(profileName) || has(moreImages)
      case JPEGSegments.commentMarker: true
      default: false
      }
    }
  }

  init(_ source: ByteSource) throws(MediaError) {
    guard source.size != nil else {
      throw MediaError(.unsupported, "a JPEG file needs a known size")
    }
    var place: Int64 = 2
    var segments: [Segment] = []
    var frame: [UInt8]?
    while true {
      guard segments.count < Self.mostSegments else {
        throw MediaError(.malformed, "more than \(Self.mostSegments) segments", offset: place)
      }
      guard let (segment, next) = try Self.segment(in: source, at: place) else { break }
      place = next
      if Self.isFrame(segment.marker) { frame = frame ?? segment.body }
      if segment.marker == 0xDA { break }
      segments.append(segment)
    }
    let transform = segments.first { $0.marker == 0xEE && $0.has(Array("Adobe".utf8)) }?.body
      .dropFirst(11).first
    guard let frame else {
      throw MediaError(.malformed, "the file has no header of a frame", offset: place)
    }
    self.frame = try JPEGFrame(frame, transform: transform)
    guard self.frame.width > 0, self.frame.height > 0 else {
      throw MediaError(.unsupported, "the height of the image is stored after its first scan")
    }
    take(segments)
    endsEarly = try !Self.hasEnd(source)
  }

  /// Returns the segment at a place and the place behind it; `nil` for the end of the image.
  private static func segment(in source: ByteSource, at start: Int64) throws(MediaError) -> (
    Segment, Int64
  )? {
    var place = start
    var marker: UInt8 = 0xFF
    let head = try source.readExactly(at: place, count: 2)
    guard head[0] == 0xFF else {
      throw MediaError(.malformed, "there is no marker where one must be", offset: place)
    }
    marker = head[1]
    place += 2
    // Fill bytes (B.1.1.2).
    while marker == 0xFF {
      marker = try source.readExactly(at: place, count: 1)[0]
      place += 1
    }
    if marker == 0xD9 { return nil }
    let sizeBytes = try source.readExactly(at: place, count: 2)
    let size = Int(sizeBytes[0]) << 8 | Int(sizeBytes[1])
    guard size >= 2 else {
      throw MediaError(.malformed, "a segment of \(size) bytes", offset: place)
    }
    let body = try source.readExactly(at: place + 2, count: size - 2)
    return (Segment(marker: marker, body: body), place + Int64(size))
  }

  private static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
  }

  /// Returns `true` if the last bytes of a file have an end marker; programs may append anything.
  private static func hasEnd(_ source: ByteSource) throws(MediaError) -> Bool {
    let size = source.size ?? 0
    let window: Int64 = 64 << 10
    var end = size
    while end > 2 {
      let start = max(2, end - window)
      let bytes = try source.read(at: start, count: Int(end - start))
      if zip(bytes, bytes.dropFirst()).contains(where: { $0 == (0xFF, 0xD9) }) { return true }
      if start == 2 { return false }
      end = start + 1
    }
    return false
  }

  private mutating func take(_ segments: [Segment]) {
    exif = segments.first {
      $0.marker == 0xE1 && $0.has(Self.exifName) && $0.body.count > Self.exifName.count
    }.map {
      Array($0.body.dropFirst(Self.exifName.count))
    }
    xmp = segments.first { $0.marker == 0xE1 && $0.has(Self.xmpName) }.map {
      Array($0.body.dropFirst(Self.xmpName.count))
    }
    let parts = segments.filter {
      $0.marker == 0xE2 && $0.has(Self.profileName) && $0.body.count > 14
    }
    // Each part has its number and the count of parts (ICC.1:2022, B.4).
    let sorted = parts.sorted { $0.body[12] < $1.body[12] }
    if let first = sorted.first, Int(first.body[13]) == sorted.count,
      sorted.enumerated().allSatisfy({ Int($1.body[12]) == $0 + 1 })
    {
      profile = sorted.flatMap { $0.body.dropFirst(14) }
    } else if !parts.isEmpty {
      others.append("incomplete ICC profile")
    }
    takeExtendedXMP(segments.filter { $0.marker == 0xE1 }.map(\.body))
    hasMoreImages = segments.contains { $0.marker == 0xE2 && $0.has(Self.moreImages) }
    if hasMoreImages {
      others.append("further images of the file (MPF), such as a gain map")
    }
    if segments.contains(where: { $0.marker == 0xED }) {
      others.append("records of Photoshop or IPTC (APP13)")
    }
    let comments = segments.filter { $0.marker == Self.commentMarker }.map {
      String(utf8OrLatin1: Array($0.body.prefix { $0 != 0 }))
    }
    if !comments.isEmpty { comment = comments.joined(separator: "\n") }
  }

  /// Takes the extension of the XMP packet, in its place if the packet has no other property.
  private mutating func takeExtendedXMP(_ bodies: [[UInt8]]) {
    let parts = bodies.compactMap { ExtendedXMP.Part($0) }
    guard !parts.isEmpty else { return }
    guard let xmp, let name = ExtendedXMP.name(in: xmp),
      let whole = ExtendedXMP.whole(name, in: parts)
    else {
      others.append("incomplete extension of the XMP packet")
      return
    }
    if ExtendedXMP.isEmpty(xmp) { self.xmp = whole } else { extendedXMP = whole }
  }

  // MARK: Writing

  /// Returns a file with the segments of a coded image and the description of `image`.
  static func file(of packet: [UInt8], _ image: WrittenImage) throws(MediaError) -> [UInt8] {
    var (file, rest) = try parts(of: packet)
    try appendDescription(of: image, to: &file)
    return file + rest
  }

  /// Returns the coded image of a file, without the segments that describe it.
  static func image(in file: [UInt8]) throws(MediaError) -> [UInt8] {
    let (start, rest) = try parts(of: file)
    return start + rest
  }

  /// Splits an image at the place where descriptions belong: behind the segment of JFIF (ITU-T T.871 10.1).
  private static func parts(of packet: [UInt8]) throws(MediaError) -> (
    start: [UInt8], rest: [UInt8]
  ) {
    guard packet.starts(with: [0xFF, 0xD8]) else {
      throw MediaError(.malformed, "the coded image has no start marker", track: 0)
    }
    var reader = ByteReader(packet)
    try reader.skip(2)
    var start: [UInt8] = [0xFF, 0xD8]
    var rest: [UInt8] = []
    var isFirst = true
    while true {
      let place = reader.position
      guard try reader.u8() == 0xFF else {
        throw MediaError(.malformed, "there is no marker where one must be", track: 0)
      }
      var marker = try reader.u8()
      while marker == 0xFF { marker = try reader.u8() }
      if marker == 0xDA || marker == 0xD9 {
        try reader.seek(to: place)
        break
      }
      let size = Int(try reader.big(UInt16.self))
      guard size >= 2 else { throw MediaError(.malformed, "a segment of \(size) bytes", track: 0) }
      let segment = Segment(marker: marker, body: Array(try reader.take(size - 2)))
      if isFirst, marker == 0xE0 {
        try append(segment, to: &start)
      } else if !segment.isDescription {
        try append(segment, to: &rest)
      }
      isFirst = false
    }
    return (start, rest + (try reader.take(reader.remaining)))
  }

  private static func appendDescription(of image: WrittenImage, to file: inout [UInt8])
    throws(MediaError)
  {
    if let exif = image.exif {
      try append(Segment(marker: 0xE1, body: exifName + exif), to: &file)
    }
    if let xmp = image.xmp {
      let isLong = xmpName.count + xmp.count > mostBytes
      let packet = isLong ? ExtendedXMP.packet(for: xmp) : xmp
      try append(Segment(marker: 0xE1, body: xmpName + packet), to: &file)
      for body in ExtendedXMP.bodies(of: isLong ? xmp : image.extendedXMP ?? [], most: mostBytes) {
        try append(Segment(marker: 0xE1, body: body), to: &file)
      }
    }
    if let comment = image.metadata.first(where: { $0.name == "comment" })?.value {
      try append(Segment(marker: commentMarker, body: Array(comment.utf8)), to: &file)
    }
    guard let profile = image.profile else { return }
    let size = 65_519
    let count = (profile.count + size - 1) / size
    guard count <= 255 else {
      throw MediaError(.unsupported, "an ICC profile of \(profile.count) bytes", track: 0)
    }
    for index in 0..<count {
      let part = profile[index * size..<min(profile.count, (index + 1) * size)]
      let head = profileName + [UInt8(index + 1), UInt8(count)]
      try append(Segment(marker: 0xE2, body: head + part), to: &file)
    }
  }

  private static func append(_ segment: Segment, to bytes: inout [UInt8]) throws(MediaError) {
    guard segment.body.count <= mostBytes else {
      throw MediaError(
        .unsupported,
        "Exif data or a comment of \(segment.body.count.counting("byte")); JPEG takes \(mostBytes)",
        track: 0)
    }
    bytes += [0xFF, segment.marker] + UInt16(segment.body.count + 2).bigEndianBytes + segment.body
  }
}
