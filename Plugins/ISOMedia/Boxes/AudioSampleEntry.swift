import RespoolPlugin

/// The fields of an audio sample entry: ISO/IEC 14496-12 12.2.3, and versions 1 and 2 of QuickTime's sound
/// description.
struct AudioSampleEntry: Hashable, Sendable {
  /// Additional fields of QuickTime's version 1.
  struct Compression: Hashable, Sendable {
    var samplesPerPacket: UInt32
    var bytesPerPacket: UInt32
    var bytesPerFrame: UInt32
    var bytesPerSample: UInt32
  }

  /// Additional fields of QuickTime's version 2.
  struct LinearFormat: Hashable, Sendable {
    static let isFloat: UInt32 = 1
    static let isBigEndian: UInt32 = 2
    static let isSigned: UInt32 = 4
    static let isPacked: UInt32 = 8
    var bitsPerChannel: UInt32
    var flags: UInt32
    var bytesPerPacket: UInt32
    var framesPerPacket: UInt32
  }

  var dataReferenceIndex: UInt16 = 1
  var channelCount: UInt32
  var bitsPerSample: UInt16 = 16
  /// QuickTime's compression ID.
  ///
  /// -1 for compressed audio with packets of variable size. Default 0.
  var compressionID: Int16 = 0
  /// Samples per second.
  var sampleRate: Double
  var compression: Compression?
  var linear: LinearFormat?
  /// The boxes after the fields, unparsed.
  var children: [UInt8] = []
  /// File offset of the children.
  var childrenOrigin: Int64 = 0
}

extension AudioSampleEntry {
  /// Reads the entry.
  ///
  /// If `isQuickTime`, versions other than 0 have QuickTime's additional fields.
  init(from reader: inout ByteReader, isQuickTime: Bool) throws(MediaError) {
    try reader.skip(6)
    dataReferenceIndex = try reader.big()
    let version = try reader.big(UInt16.self)
    try reader.skip(6)
    channelCount = UInt32(try reader.big(UInt16.self))
    bitsPerSample = try reader.big()
    compressionID = try reader.big()
    try reader.skip(2)
    sampleRate = Double(try reader.big(UInt32.self)) / 65536
    if isQuickTime, version == 1 {
      compression = Compression(
        samplesPerPacket: try reader.big(), bytesPerPacket: try reader.big(),
        bytesPerFrame: try reader.big(), bytesPerSample: try reader.big())
    } else if isQuickTime, version == 2 {
      try reader.skip(4)
      sampleRate = Double(bitPattern: try reader.big(UInt64.self))
      channelCount = try reader.big()
      try reader.skip(4)
      linear = LinearFormat(
        bitsPerChannel: try reader.big(), flags: try reader.big(),
        bytesPerPacket: try reader.big(), framesPerPacket: try reader.big())
    }
    childrenOrigin = reader.offset
    children = Array(try reader.take(reader.remaining))
  }

  func write(to writer: inout BoxWriter) {
    writer.zeros(6)
    writer.u16(dataReferenceIndex)
    writer.u16(linear != nil ? 2 : compression != nil ? 1 : 0)
    writer.zeros(6)
    writer.u16(linear != nil ? 3 : UInt16(clamping: channelCount))
    writer.u16(bitsPerSample)
    writer.i16(linear != nil ? -2 : compressionID)
    writer.u16(0)
    if let linear {
      writer.u32(0x1_0000)
      writer.u32(72)
      writer.u64(sampleRate.bitPattern)
      writer.u32(channelCount)
      writer.u32(0x7F00_0000)
      writer.words([
        linear.bitsPerChannel, linear.flags, linear.bytesPerPacket, linear.framesPerPacket,
      ])
    } else {
      // Rates above 16 bits cannot be stored here; the codec's own configuration has them (8.5.2).
      let rate = sampleRate < 65536 && sampleRate >= 0 ? sampleRate : 0
      writer.u32(UInt32(rate * 65536))
      if let compression {
        writer.words([
          compression.samplesPerPacket, compression.bytesPerPacket, compression.bytesPerFrame,
          compression.bytesPerSample,
        ])
      }
    }
    writer.raw(children)
  }
}
