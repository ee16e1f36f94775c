import RespoolPlugin

/// Sun AU: checks the size of the audio data.
enum AUExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var reader = ByteReader(try source.readExactly(at: 0, count: 12))
    guard try reader.text(4) == ".snd" else { return nil }
    let start = Int64(try reader.big(UInt32.self))
    let length = try reader.big(UInt32.self)
    // The largest number means up to the end of the file.
    guard length != .max, Int64(length) > size - start else { return nil }
    return DeclaredExtent.sentence("the header", declares: Int64(length), there: size - start)
  }
}

/// True Audio: checks the sum of the frame sizes in the seek table (TTA1 format specification, "Seek table").
enum TrueAudioExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let start = try ID3Prefix.end(in: source)
    var reader = ByteReader(try source.readExactly(at: start, count: 22))
    guard try reader.text(4) == "TTA1" else { return nil }
    try reader.skip(6)
    let (rate, samples) = (Int64(try reader.little(UInt32.self)), try reader.little(UInt32.self))
    let frameLength = rate * 256 / 245
    guard frameLength > 0 else { return nil }
    let count = (Int64(samples) + frameLength - 1) / frameLength
    guard count < 1 << 22 else { return nil }
    // The table ends with a checksum.
    let first = start + 22 + (count + 1) * 4
    guard first <= size else {
      return "the header declares \(count.counting("frame")), but the file ends within their sizes"
    }
    var table = ByteReader(try source.readExactly(at: start + 22, count: Int(count) * 4))
    var length: Int64 = 0
    while !table.isAtEnd { length += Int64(try table.little(UInt32.self)) }
    guard length > size - first else { return nil }
    return DeclaredExtent.sentence("the seek table", declares: length, there: size - first)
  }
}

/// Monkey's Audio from version 3.98: checks the sizes in the descriptor (SDK, `APE_DESCRIPTOR`).
enum MonkeysAudioExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let start = try ID3Prefix.end(in: source)
    var reader = ByteReader(try source.readExactly(at: start, count: 36))
    guard try reader.text(4) == "MAC ", try reader.little(UInt16.self) >= 3980 else { return nil }
    try reader.skip(2)
    // Descriptor, header, seek table, header of the WAVE file.
    var heads: Int64 = 0
    for _ in 0..<4 { heads += Int64(try reader.little(UInt32.self)) }
    let (low, high) = (try reader.little(UInt32.self), try reader.little(UInt32.self))
    let length = Int64(high) << 32 | Int64(low)
    let present = size - start - heads
    guard high < 1 << 30, length > present else { return nil }
    return DeclaredExtent.sentence("the descriptor", declares: length, there: max(0, present))
  }
}

/// DSF: checks the size of the file in the DSD chunk (DSF File Format Specification 1.01).
enum DSDStreamExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var reader = ByteReader(try source.readExactly(at: 0, count: 20))
    guard try reader.text(4) == "DSD " else { return nil }
    try reader.skip(8)
    let declared = try reader.little(UInt64.self)
    guard declared > UInt64(size), declared < 1 << 62 else { return nil }
    return DeclaredExtent.sentence("the DSD chunk", declares: Int64(declared), there: size)
  }
}

/// NUT: checks that the file ends with an index, which states its own length (NUT specification, "Index").
enum NUTExtent {
  private static let indexCode: UInt64 = 0x4E58_DD67_2F23_E64E

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    // A checksum follows the length.
    var end = ByteReader(try source.readExactly(at: max(0, size - 12), count: 12))
    let length = try end.big(UInt64.self)
    if length >= 20, length < size {
      var start = ByteReader(try source.readExactly(at: size - Int64(length), count: 8))
      if try start.big(UInt64.self) == indexCode { return nil }
    }
    return "the index that ends a file is missing"
  }
}

/// IVF: checks that the last frame is complete; each has its size and 8 bytes of time before it.
enum IVFExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var offset: Int64 = 32
    while offset + 12 <= size {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      var reader = ByteReader(try source.readExactly(at: offset, count: 4))
      let length = Int64(try reader.little(UInt32.self))
      offset += 12
      guard length <= size - offset else {
        return DeclaredExtent.sentence("the last frame", declares: length, there: size - offset)
      }
      offset += length
    }
    return offset == size ? nil : "the file ends within the header of a frame"
  }
}

/// Flash Video: checks the size of the file in the metadata, if it is stored there.
enum FlashVideoExtent {
  /// The name of the property, its length before it, and the mark of a number after it (AMF 0, 2.2).
  private static let name: [UInt8] = [0, 8] + Array("filesize".utf8) + [0]

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var reader = ByteReader(try source.read(at: 0, count: 1 << 16))
    try reader.skip(13)
    // The metadata is the first tag.
    guard try reader.u8() == 18 else { return nil }
    let length = Int(try reader.big(bytes: 3))
    try reader.skip(7)
    let tag = try reader.take(min(length, reader.remaining))
    for position in tag.indices.dropLast(name.count + 7) where tag[position...].starts(with: name) {
      var number = ByteReader(tag[(position + name.count)...])
      let declared = Double(bitPattern: try number.big(UInt64.self))
      guard declared > Double(size), declared < 0x1p62 else { return nil }
      return DeclaredExtent.sentence("the metadata", declares: Int64(declared), there: size)
    }
    return nil
  }
}
