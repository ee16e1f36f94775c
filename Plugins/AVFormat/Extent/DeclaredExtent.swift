import RespoolPlugin

/// A comparison of the length that a file's header declares with the bytes that are present.
///
/// libavformat silently reads a file that was cut off, or that is still being copied, to its end.
enum DeclaredExtent {
  /// Returns a sentence with both lengths if the file is shorter than declared, otherwise `nil`.
  ///
  /// `format` is libavformat's name. Throws `cancelled`, and `io` if the source cannot be read. Malformed
  /// data is left to libavformat.
  static func missing(in source: ByteSource, format: String) throws(MediaError) -> String? {
    guard source.isSeekable, let size = source.size, size > 0 else { return nil }
    do throws(MediaError) {
      switch format {
      case "avi", "wav": return try RIFFExtent.missing(in: source, size)
      case "w64": return try Wave64Extent.missing(in: source, size)
      case "caf": return try CoreAudioExtent.missing(in: source, size)
      case "aiff": return try AIFFExtent.missing(in: source, size)
      case "matroska,webm": return try MatroskaExtent.missing(in: source, size)
      case "flac": return try FLACExtent.missing(in: source, size)
      case "mp3", "aac", "ac3", "eac3", "dts":
        return try FrameStreamExtent.missing(in: source, size, format: format)
      case "truehd", "mlp": return try TrueHDExtent.missing(in: source, size)
      case "gif": return try GIFExtent.missing(in: source, size)
      case "ogg": return try OggExtent.missing(in: source, size)
      case "mpegts": return try TransportStreamExtent.missing(in: source, size)
      case "asf": return try ASFHeader(source).missing
      case "au": return try AUExtent.missing(in: source, size)
      case "tta":
        if let missing = try TrueAudioExtent.missing(in: source, size) { return missing }
        return try TrailingTags.cutTag(in: source, size)
      case "ape":
        if let missing = try MonkeysAudioExtent.missing(in: source, size) { return missing }
        return try TrailingTags.cutTag(in: source, size)
      case "dsf": return try DSDStreamExtent.missing(in: source, size)
      case "mxf": return try MXFExtent.missing(in: source, size)
      case "nut": return try NUTExtent.missing(in: source, size)
      case "ivf": return try IVFExtent.missing(in: source, size)
      case "flv": return try FlashVideoExtent.missing(in: source, size)
      case "jpeg_pipe": return try JPEGExtent.missing(in: source, size)
      case "mpeg": return try ProgramStreamExtent.missing(in: source, size)
      case "obu": return try OBUExtent.missing(in: source, size)
      case "yuv4mpegpipe": return try YUV4MPEGExtent.missing(in: source, size)
      case "wv", "mpc", "mpc8": return try TrailingTags.cutTag(in: source, size)
      default: return nil
      }
    } catch {
      if error.code == .cancelled || error.code == .io { throw error }
      return nil
    }
  }

  /// Formats whose length in bytes is compared, which is exact.
  static let formats: Set<String> = [
    "avi", "wav", "w64", "caf", "aiff", "matroska,webm", "flac", "mp3", "ogg", "mpegts", "asf",
    "au", "tta", "ape", "dsf",
  ]

  static func sentence(_ element: String, declares: Int64, there: Int64) -> String {
    "\(element) declares \(declares.counting("byte")), but \(there) are present"
  }
}

/// RIFF (AVI and others): checks the size of each RIFF chunk.
enum RIFFExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var offset: Int64 = 0
    // OpenDML continues after the first gigabyte in further RIFF chunks.
    for _ in 0..<65_536 where offset + 12 <= size {
      var reader = ByteReader(try source.readExactly(at: offset, count: 8), origin: offset)
      guard try reader.text(4) == "RIFF" else { return nil }
      let length = Int64(try reader.little(UInt32.self))
      // Writers that cannot seek back leave 0 or the largest number.
      guard length > 4, length < 0xFFFF_FFF0 else { return nil }
      let next = offset + 8 + length + length % 2
      // Some writers count the header of 8 bytes, or padding that is not written.
      var isCut = next > size + 16
      if !isCut, next > size { isCut = try endsWithinChunk(source, from: offset + 12, size) }
      if isCut {
        return DeclaredExtent.sentence(
          "the RIFF chunk", declares: length, there: size - offset - 8)
      }
      offset = next
    }
    return nil
  }

  /// Returns `true` if the last chunk of a RIFF chunk is cut off.
  private static func endsWithinChunk(_ source: ByteSource, from start: Int64, _ size: Int64)
    throws(MediaError) -> Bool
  {
    var offset = start
    for _ in 0..<65_536 where offset + 8 <= size {
      var reader = ByteReader(try source.readExactly(at: offset + 4, count: 4))
      let length = Int64(try reader.little(UInt32.self))
      guard offset + 8 + length <= size else { return true }
      offset += 8 + length + length % 2
    }
    return false
  }
}

/// Sony Wave64: checks the size of the file, which follows the 16 bytes of its type.
enum Wave64Extent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var reader = ByteReader(try source.readExactly(at: 0, count: 24))
    guard try reader.text(4) == "riff" else { return nil }
    try reader.skip(12)
    let declared = try reader.little(UInt64.self)
    // Writers that cannot seek back leave 0 or the largest number.
    guard declared > UInt64(size) + 8, declared < 1 << 62 else { return nil }
    return DeclaredExtent.sentence("the header", declares: Int64(declared), there: size)
  }
}

/// Core Audio Format: checks the size of each chunk (Apple Core Audio Format Specification 1.0, "Chunks").
enum CoreAudioExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var offset: Int64 = 8
    for _ in 0..<1000 where offset + 12 <= size {
      var reader = ByteReader(try source.readExactly(at: offset, count: 12), origin: offset)
      let type = try reader.text(4)
      let length = Int64(bitPattern: try reader.big(UInt64.self))
      // -1 means up to the end of the file.
      guard length >= 0 else { return nil }
      guard length <= size - offset - 12 else {
        return DeclaredExtent.sentence(
          "the chunk \(type)", declares: length, there: size - offset - 12)
      }
      // Any data may follow the audio.
      if type == "data" { return nil }
      offset += 12 + length
    }
    return nil
  }
}

/// AIFF and AIFF-C: checks the size of the FORM chunk.
enum AIFFExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var reader = ByteReader(try source.readExactly(at: 0, count: 8))
    guard try reader.text(4) == "FORM" else { return nil }
    let length = Int64(try reader.big(UInt32.self))
    guard length > 4, length < 0xFFFF_FFF0, length > size - 8 else { return nil }
    return DeclaredExtent.sentence("the FORM chunk", declares: length, there: size - 8)
  }
}

/// MPEG transport streams: checks that the last packet is complete, as there is no header.
enum TransportStreamExtent {
  private static let sync: UInt8 = 0x47

  /// Reads enough bytes for ``form(_:)``.
  static func start(of source: ByteSource) throws(MediaError) -> [UInt8] {
    try source.read(at: 0, count: 204 * 3 + 1)
  }

  /// Returns the packet length and the offset of the sync byte in each packet.
  ///
  /// `nil` if there are no packets.
  ///
  /// Supports plain packets, those of Blu-ray with a leading time stamp, and those with error correction.
  static func form(_ start: [UInt8]) -> (length: Int, offset: Int)? {
    [(188, 0), (192, 4), (204, 0)].first { length, offset in
      [offset, offset + length, offset + 2 * length].allSatisfy {
        $0 < start.count && start[$0] == sync
      }
    }
  }

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    guard let (length, offset) = form(try start(of: source)) else { return nil }
    let rest = size % Int64(length)
    let head = try source.read(
      at: size - rest + Int64(offset), count: min(3, max(0, Int(rest) - offset)))
    // Padding after the last packet is not a packet.
    guard head.first == sync else { return nil }
    // Nothing is missing if the packet only fills the stream (ISO/IEC 13818-1 2.4.3.2).
    if head.count == 3, head[1] & 0x1F == 0x1F, head[2] == 0xFF { return nil }
    return DeclaredExtent.sentence(
      "the last transport packet", declares: Int64(length), there: rest)
  }
}
