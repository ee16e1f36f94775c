import RespoolPlugin

/// `esds`: the decoder configuration of an MPEG-4 elementary stream (ISO/IEC 14496-1 7.2.6, 14496-14 5.6).
struct ElementaryStreamBox: Box {
  static let type: FourCC = "esds"
  var streamID: UInt16 = 0
  /// Object type: ISO/IEC 14496-1 table 5 and the registration authority's additions.
  var objectType: UInt8
  /// Stream type: 4 for video, 5 for audio.
  var streamType: UInt8
  /// Decoding buffer size in bytes, 24 bits.
  var bufferSize: UInt32 = 0
  /// Bits per second.
  var maximumBitRate: UInt32 = 0
  /// Bits per second.
  var averageBitRate: UInt32 = 0
  /// DecoderSpecificInfo.
  ///
  /// Empty if there is none.
  var decoderSpecific: [UInt8] = []

  // Tags of descriptors (ISO/IEC 14496-1 table 1).
  private static let elementaryStream: UInt8 = 3
  private static let decoderConfiguration: UInt8 = 4
  private static let decoderSpecificInformation: UInt8 = 5
  private static let synchronization: UInt8 = 6
  // Flags of ES_Descriptor (7.2.6.5), each of which a field follows.
  private static let dependsOnStream: UInt8 = 0x80
  private static let hasURL: UInt8 = 0x40
  private static let hasClockReference: UInt8 = 0x20
}

extension ElementaryStreamBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    var descriptor = try reader.descriptor()
    if descriptor.tag == Self.elementaryStream {
      streamID = try descriptor.content.big()
      let flags = try descriptor.content.u8()
      if flags & Self.dependsOnStream != 0 { try descriptor.content.skip(2) }
      if flags & Self.hasURL != 0 {
        try descriptor.content.skip(Int(try descriptor.content.u8()))
      }
      if flags & Self.hasClockReference != 0 { try descriptor.content.skip(2) }
      descriptor = try descriptor.content.descriptor()
    }
    guard descriptor.tag == Self.decoderConfiguration else {
      throw MediaError(
        .malformed, "esds has descriptor \(descriptor.tag) instead of the decoder configuration, 4",
        offset: descriptor.content.offset)
    }
    var content = descriptor.content
    objectType = try content.u8()
    // Stream type 6 bits, up stream 1, reserved 1, buffer size 24.
    let packed = try content.big(UInt32.self)
    streamType = UInt8(packed >> 26)
    bufferSize = packed & 0xFF_FFFF
    maximumBitRate = try content.big()
    averageBitRate = try content.big()
    if content.remaining >= 2 {
      let specific = try content.descriptor()
      if specific.tag == Self.decoderSpecificInformation {
        decoderSpecific = Array(specific.content.bytes)
      }
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.descriptor(Self.elementaryStream) { stream in
      stream.u16(streamID)
      // No flags, priority 0.
      stream.u8(0)
      stream.descriptor(Self.decoderConfiguration) { configuration in
        configuration.u8(objectType)
        configuration.u32(UInt32(streamType) << 26 | 1 << 24 | min(bufferSize, 0xFF_FFFF))
        configuration.u32(maximumBitRate)
        configuration.u32(averageBitRate)
        guard !decoderSpecific.isEmpty else { return }
        configuration.descriptor(Self.decoderSpecificInformation) { $0.raw(decoderSpecific) }
      }
      // Predefined for MP4 files (14496-14 3.1.2).
      stream.descriptor(Self.synchronization) { $0.u8(2) }
    }
  }
}

extension ByteReader {
  /// Reads the next descriptor (ISO/IEC 14496-1 8.3.3).
  ///
  /// One that claims more bytes than are present is cut.
  fileprivate mutating func descriptor() throws(MediaError) -> (tag: UInt8, content: ByteReader) {
    let tag = try u8()
    var size = 0
    for _ in 0..<4 {
      let byte = try u8()
      size = size << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return (tag, try sub(min(size, remaining)))
  }
}

extension BoxWriter {
  /// Writes a descriptor with a size in four bytes, a form that every reader accepts.
  fileprivate mutating func descriptor(_ tag: UInt8, _ body: (inout BoxWriter) -> Void) {
    var content = BoxWriter()
    body(&content)
    let size = content.bytes.count
    u8(tag)
    for shift in [21, 14, 7] { u8(UInt8(truncatingIfNeeded: size >> shift) | 0x80) }
    u8(UInt8(size & 0x7F))
    raw(content.bytes)
  }
}
