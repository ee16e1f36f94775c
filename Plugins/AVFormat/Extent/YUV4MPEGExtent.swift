import RespoolPlugin

/// YUV4MPEG2: checks that the last frame is complete.
enum YUV4MPEGExtent {
  private static let frameMark = Array("FRAME\n".utf8)

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let head = try source.read(at: 0, count: 1024)
    guard let end = head.firstIndex(of: 0x0A) else { return nil }
    let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
    func value(_ letter: Character) -> Substring? {
      words.dropFirst().first { $0.first == letter }?.dropFirst()
    }
    guard let width = value("W").flatMap({ Int64($0) }), (1...65_535).contains(width),
      let height = value("H").flatMap({ Int64($0) }), (1...65_535).contains(height),
      let samples = samples(of: value("C") ?? "420", width, height)
    else { return nil }
    let (first, length) = (Int64(end + 1), samples + Int64(frameMark.count))
    // Frames with parameters of their own have other lengths.
    let rest = (size - first) % length
    guard rest > 0,
      try source.read(at: size - rest, count: frameMark.count)
        .elementsEqual(frameMark.prefix(Int(min(rest, 6))))
    else { return nil }
    return DeclaredExtent.sentence("the last frame", declares: length, there: rest)
  }

  /// Returns the bytes of a frame in a color space as mjpegtools and FFmpeg name them; `nil` for unknown names.
  private static func samples(of space: Substring, _ width: Int64, _ height: Int64) -> Int64? {
    let name = space.prefix { $0.isNumber || $0 == "m" || $0 == "o" || $0 == "n" }
    let rest = space.dropFirst(name.count)
    let (half, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    let luma = width * height
    let count: Int64
    switch name {
    case "420", "420m": count = luma + 2 * half * halfHeight
    case "422": count = luma + 2 * half * height
    case "444": count = rest == "alpha" ? 4 * luma : 3 * luma
    case "411": count = luma + 2 * ((width + 3) / 4) * height
    case "mono", "mono16": return name == "mono" ? luma : 2 * luma
    default: return nil
    }
    let isDeep = rest.first == "p" && Int(rest.dropFirst()).map { $0 > 8 } == true
    return isDeep ? 2 * count : count
  }
}
