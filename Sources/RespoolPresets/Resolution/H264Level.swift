import RespoolMedia

/// A level of H.264, which limits size and rate of the frames (ITU-T H.264 table A-1).
package struct H264Level: Hashable {
  /// Name, such as `3.1`.
  package let name: String
  /// Value of `level_idc`, ten times the number of the level.
  package let number: Int32
  /// Maximum macroblocks per second.
  package let maximumRate: Int
  /// Maximum macroblocks per frame.
  package let maximumSize: Int

  /// All levels except 1b, which only a bit rate distinguishes from level 1.
  package static let all: [H264Level] = [
    .init(name: "1", number: 10, maximumRate: 1485, maximumSize: 99),
    .init(name: "1.1", number: 11, maximumRate: 3000, maximumSize: 396),
    .init(name: "1.2", number: 12, maximumRate: 6000, maximumSize: 396),
    .init(name: "1.3", number: 13, maximumRate: 11880, maximumSize: 396),
    .init(name: "2", number: 20, maximumRate: 11880, maximumSize: 396),
    .init(name: "2.1", number: 21, maximumRate: 19800, maximumSize: 792),
    .init(name: "2.2", number: 22, maximumRate: 20250, maximumSize: 1620),
    .init(name: "3", number: 30, maximumRate: 40500, maximumSize: 1620),
    .init(name: "3.1", number: 31, maximumRate: 108_000, maximumSize: 3600),
    .init(name: "3.2", number: 32, maximumRate: 216_000, maximumSize: 5120),
    .init(name: "4", number: 40, maximumRate: 245_760, maximumSize: 8192),
    .init(name: "4.2", number: 42, maximumRate: 522_240, maximumSize: 8704),
    .init(name: "5", number: 50, maximumRate: 589_824, maximumSize: 22080),
    .init(name: "5.1", number: 51, maximumRate: 983_040, maximumSize: 36864),
    .init(name: "5.2", number: 52, maximumRate: 2_073_600, maximumSize: 36864),
    .init(name: "6", number: 60, maximumRate: 4_177_920, maximumSize: 139_264),
    .init(name: "6.1", number: 61, maximumRate: 8_355_840, maximumSize: 139_264),
    .init(name: "6.2", number: 62, maximumRate: 16_711_680, maximumSize: 139_264),
  ]

  /// Returns the lowest level for a size in pixels and a rate in frames per second; `nil` if none is
  /// enough.
  ///
  /// Never returns level 4.1, which differs from 4 only by bit rate. An unknown rate (0) counts as 30.
  package static func lowest(width: Int, height: Int, frameRate: Double) -> H264Level? {
    let columns = (width + 15) / 16
    let rows = (height + 15) / 16
    guard columns <= 65536, rows <= 65536 else { return nil }
    let size = columns * rows
    let rate = Double(size) * (frameRate > 0 ? frameRate : 30)
    return all.first {
      // A.3.1 f, g: neither side is longer than the square root of eight times the maximum size.
      size <= $0.maximumSize && rate <= Double($0.maximumRate)
        && columns * columns <= 8 * $0.maximumSize && rows * rows <= 8 * $0.maximumSize
    }
  }

  /// Records the level of encoded frames, which the encoder writes by itself unless the options state one.
  static func record(
    width: Int, height: Int, frameRate: Rational, given options: [PluginOption],
    _ recorder: DecisionRecorder
  ) {
    if let given = options.last(where: { $0.name == "level" }) {
      recorder.record("level", given.value, "from the preset")
      return
    }
    let rate = frameRate.doubleValue
    let frames =
      "\(width)x\(height) at \(rate > 0 ? frameRate.decimalText : "an unknown number of") frames a second"
    guard let level = lowest(width: width, height: height, frameRate: rate) else {
      recorder.record("level", "none", "\(frames) is beyond level 6.2", isWarning: true)
      return
    }
    recorder.record(
      "level", level.name,
      "the lowest for \(frames) (H.264 table A-1); the encoder writes it, or a higher one if its options "
        + "need that")
  }
}
