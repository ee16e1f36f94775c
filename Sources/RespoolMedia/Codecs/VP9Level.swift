/// Levels of VP9 (webmproject.org/vp9/levels), by frame size and frame rate.
package enum VP9Level {
  private struct Bound {
    var level: UInt8
    var samplesPerSecond: Double
    var samples: Int
    var side: Int
  }

  private static let bounds: [Bound] = [
    .init(level: 10, samplesPerSecond: 829_440, samples: 36_864, side: 512),
    .init(level: 11, samplesPerSecond: 2_764_800, samples: 73_728, side: 768),
    .init(level: 20, samplesPerSecond: 4_608_000, samples: 122_880, side: 960),
    .init(level: 21, samplesPerSecond: 9_216_000, samples: 245_760, side: 1344),
    .init(level: 30, samplesPerSecond: 20_736_000, samples: 552_960, side: 2048),
    .init(level: 31, samplesPerSecond: 36_864_000, samples: 983_040, side: 2752),
    .init(level: 40, samplesPerSecond: 83_558_400, samples: 2_228_224, side: 4160),
    .init(level: 41, samplesPerSecond: 160_432_128, samples: 2_228_224, side: 4160),
    .init(level: 50, samplesPerSecond: 311_951_360, samples: 8_912_896, side: 8384),
    .init(level: 51, samplesPerSecond: 588_251_136, samples: 8_912_896, side: 8384),
    .init(level: 52, samplesPerSecond: 1_176_502_272, samples: 8_912_896, side: 8384),
    .init(level: 60, samplesPerSecond: 1_176_502_272, samples: 35_651_584, side: 16832),
    .init(level: 61, samplesPerSecond: 2_353_004_544, samples: 35_651_584, side: 16832),
    .init(level: 62, samplesPerSecond: 4_706_009_088, samples: 35_651_584, side: 16832),
  ]

  /// Returns ten times the lowest level that allows the video, such as 31 for 3.1.
  ///
  /// 0 if none does.
  package static func lowest(width: Int, height: Int, frameRate: Double) -> UInt8 {
    let samples = width * height
    return bounds.first {
      samples <= $0.samples && max(width, height) <= $0.side
        && Double(samples) * frameRate <= $0.samplesPerSecond
    }?.level ?? 0
  }
}
