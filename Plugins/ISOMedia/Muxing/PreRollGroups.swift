import RespoolPlugin

/// `sgpd` and `sbgp`: how many samples a decoder needs before the first one that it plays (ISO/IEC 14496-12 10.1).
///
/// Files with Opus must state it ("Encapsulation of Opus in ISO Base Media File Format" 4.3.6.2); files with AAC
/// usually do.
struct PreRollGroups {
  /// Samples needed before each sample.
  let distance: Int
  private let sampleCount: UInt32

  /// Creates the boxes for samples of `codec` whose durations are in units of `timeBase`; `nil` for codecs without
  /// pre-roll.
  init?(codec: String, _ times: TimeToSampleBox, timeBase: Rational) {
    let count = times.runs.reduce(Int64(0)) { $0 + Int64($1.count) }
    guard count > 0 else { return nil }
    sampleCount = UInt32(clamping: count)
    switch codec {
    case "aac": distance = 1
    case "opus":
      // 80 ms, in samples of the first duration.
      guard let first = times.runs.first(where: { $0.count > 0 }), first.duration > 0 else {
        return nil
      }
      let count = 0.08 / (Double(first.duration) * timeBase.doubleValue)
      distance = Int(min(count.rounded(.up), Double(Int16.max)))
    default: return nil
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.box("sgpd") {
      $0.versionAndFlags(1)
      $0.code("roll")
      $0.u32(2)
      $0.u32(1)
      $0.u16(UInt16(bitPattern: Int16(-distance)))
    }
    writer.box("sbgp") {
      $0.versionAndFlags(0)
      $0.code("roll")
      $0.u32(1)
      $0.u32(sampleCount)
      $0.u32(1)
    }
  }
}
