import RespoolPlugin

/// `trun`: consecutive samples of a fragment (ISO/IEC 14496-12 8.8.8).
struct TrackRunBox: Box {
  static let type: FourCC = "trun"

  struct Sample: Hashable, Sendable {
    var duration: UInt32?
    var size: UInt32?
    var flags: UInt32?
    var compositionOffset: Int32?
  }

  var dataOffset: Int32?
  var firstSampleFlags: UInt32?
  /// The fields that all samples have: bits 8 to 11 of the box's flags.
  var fields: UInt32
  var samples: [Sample]

  init(fields: UInt32, samples: [Sample]) {
    self.fields = fields & 0xF00
    self.samples = samples
  }

  init(from reader: inout ByteReader) throws(MediaError) {
    let flags = try reader.versionAndFlags().flags
    let count = Int(try reader.big(UInt32.self))
    if flags & 0x1 != 0 { dataOffset = try reader.big() }
    if flags & 0x4 != 0 { firstSampleFlags = try reader.big() }
    fields = flags & 0xF00
    let width = fields.nonzeroBitCount
    // Samples without fields take no bytes in the run, so bytes do not bound the count; no file needs more
    // than this.
    guard width > 0 || count <= 1 << 20 else {
      throw MediaError(
        .malformed, "a track run declares \(count) samples without fields; the most is 1048576",
        offset: reader.offset)
    }
    let words = try reader.words(count * width)
    samples = []
    samples.reserveCapacity(count)
    var next = 0
    for _ in 0..<count {
      var sample = Sample()
      if fields & 0x100 != 0 {
        sample.duration = words[next]
        next += 1
      }
      if fields & 0x200 != 0 {
        sample.size = words[next]
        next += 1
      }
      if fields & 0x400 != 0 {
        sample.flags = words[next]
        next += 1
      }
      if fields & 0x800 != 0 {
        sample.compositionOffset = Int32(bitPattern: words[next])
        next += 1
      }
      samples.append(sample)
    }
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 = samples.contains { ($0.compositionOffset ?? 0) < 0 } ? 1 : 0
    writer.versionAndFlags(
      version, fields | (dataOffset != nil ? 1 : 0) | (firstSampleFlags != nil ? 4 : 0))
    writer.u32(UInt32(samples.count))
    if let dataOffset { writer.i32(dataOffset) }
    if let firstSampleFlags { writer.u32(firstSampleFlags) }
    for sample in samples {
      if fields & 0x100 != 0 { writer.u32(sample.duration ?? 0) }
      if fields & 0x200 != 0 { writer.u32(sample.size ?? 0) }
      if fields & 0x400 != 0 { writer.u32(sample.flags ?? 0) }
      if fields & 0x800 != 0 { writer.i32(sample.compositionOffset ?? 0) }
    }
  }
}
