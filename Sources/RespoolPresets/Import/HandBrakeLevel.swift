/// Limits of H.264 levels on the bit rate in Main profile (ITU-T H.264 table A-1), which libhb applies.
struct HandBrakeLevel {
  /// Bit rate in kbit/s, MaxBR.
  var rate: Int
  /// Buffer in kbit, MaxCPB.
  var buffer: Int

  /// Levels by HandBrake's names.
  static let all: [String: HandBrakeLevel] = [
    "1.0": .init(rate: 64, buffer: 175), "1.1": .init(rate: 192, buffer: 500),
    "1.2": .init(rate: 384, buffer: 1000), "1.3": .init(rate: 768, buffer: 2000),
    "2.0": .init(rate: 2000, buffer: 2000), "2.1": .init(rate: 4000, buffer: 4000),
    "2.2": .init(rate: 4000, buffer: 4000), "3.0": .init(rate: 10_000, buffer: 10_000),
    "3.1": .init(rate: 14_000, buffer: 14_000), "3.2": .init(rate: 20_000, buffer: 20_000),
    "4.0": .init(rate: 20_000, buffer: 25_000), "4.1": .init(rate: 50_000, buffer: 62_500),
    "4.2": .init(rate: 50_000, buffer: 62_500), "5.0": .init(rate: 135_000, buffer: 135_000),
    "5.1": .init(rate: 240_000, buffer: 240_000), "5.2": .init(rate: 240_000, buffer: 240_000),
  ]

  /// Levels of HEVC (ITU-T H.265 table A.8).
  static let hevc = [
    "1.0", "2.0", "2.1", "3.0", "3.1", "4.0", "4.1", "5.0", "5.1", "5.2", "6.0", "6.1", "6.2",
  ]
}
