import RespoolPlugin

/// `trun`: consecutive samples of a fragment (ISO/IEC 14496-12 8.8.8).
struct TrackRunBox: Box {
  static let type: FourCC = "trun"

  /// Flags of the box (8.8.8.1), named as in the standard.
  private enum Flag {
    static let dataOffsetPresent: UInt32 = 0x1
    static let firstSampleFlagsPresent: UInt32 = 0x4
  }

  /// The fields that all samples have: bits 8 to 11 of the box's flags (8.8.8.1).
  struct Fields: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let duration = Fields(rawValue: 0x100)
    static let size = Fields(rawValue: 0x200)
    static let flags = Fields(rawValue: 0x400)
    static let compositionOffset = Fields(rawValue: 0x800)
    static let all: Fields = [.duration, .size, .flags, .compositionOffset]
  }

  /// Maximum number of samples of a run whose samples have no fields.
  ///
  /// A limit of our own, which bounds memory: such samples take no bytes in the file. The standard
  /// has none. A run of this length is 21.8 s of PCM at 48 kHz.
  static let maximumFieldlessSamples = 1 << 20

  struct Sample: Hashable, Sendable {
    var duration: UInt32?
    var size: UInt32?
    var flags: UInt32?
    var compositionOffset: Int32?
  }

  var dataOffset: Int32?
  var firstSampleFlags: UInt32?
  var fields: Fields
  var samples: [Sample]

  init(fields: Fields, samples: [Sample]) {
    self.fields = fields
    self.samples = samples
  }

  init(from reader: inout ByteReader) throws(MediaError) {
    let flags = try reader.versionAndFlags().flags
    let count = Int(try reader.big(UInt32.self))
    if flags & Flag.dataOffsetPresent != 0 { dataOffset = try reader.big() }
    if flags & Flag.firstSampleFlagsPresent != 0 { firstSampleFlags = try reader.big() }
    fields = Fields(rawValue: flags).intersection(.all)
    let width = fields.rawValue.nonzeroBitCount
    guard width > 0 || count <= Self.maximumFieldlessSamples else {
      throw MediaError(
        .limitExceeded,
        "a track run has \(count) samples without fields; the limit is "
          + "\(Self.maximumFieldlessSamples)",
        offset: reader.offset)
    }
    let words = try reader.words(count * width)
    samples = []
    samples.reserveCapacity(count)
    var next = 0
    for _ in 0..<count {
      var sample = Sample()
      if fields.contains(.duration) {
        sample.duration = words[next]
        next += 1
      }
      if fields.contains(.size) {
        sample.size = words[next]
        next += 1
      }
      if fields.contains(.flags) {
        sample.flags = words[next]
        next += 1
      }
      if fields.contains(.compositionOffset) {
        sample.compositionOffset = Int32(bitPattern: words[next])
        next += 1
      }
      samples.append(sample)
    }
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 = samples.contains { ($0.compositionOffset ?? 0) < 0 } ? 1 : 0
    writer.versionAndFlags(
      version,
      fields.rawValue | (dataOffset != nil ? Flag.dataOffsetPresent : 0)
        | (firstSampleFlags != nil ? Flag.firstSampleFlagsPresent : 0))
    writer.u32(UInt32(samples.count))
    if let dataOffset { writer.i32(dataOffset) }
    if let firstSampleFlags { writer.u32(firstSampleFlags) }
    for sample in samples {
      if fields.contains(.duration) { writer.u32(sample.duration ?? 0) }
      if fields.contains(.size) { writer.u32(sample.size ?? 0) }
      if fields.contains(.flags) { writer.u32(sample.flags ?? 0) }
      if fields.contains(.compositionOffset) { writer.i32(sample.compositionOffset ?? 0) }
    }
  }
}
