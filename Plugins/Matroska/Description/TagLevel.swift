/// The number of the level that tags refer to, such as an album or a song (RFC 9559 5.1.8.1.1.1).
enum TagLevel {
  /// The level of tags without a level: an album or a film.
  static let usual: UInt64 = 50

  private static let names: [(value: UInt64, audio: String, video: String)] = [
    (70, "COLLECTION", "COLLECTION"), (60, "EDITION", "SEASON"), (50, "ALBUM", "MOVIE"),
    (40, "PART", "PART"), (30, "TRACK", "CHAPTER"), (20, "SUBTRACK", "SCENE"), (10, "SHOT", "SHOT"),
  ]

  /// Other names of the levels (TargetType).
  private static let others: [String: UInt64] = [
    "ISSUE": 60, "VOLUME": 60, "OPUS": 60, "SEQUEL": 60, "OPERA": 50, "CONCERT": 50, "EPISODE": 50,
    "SESSION": 40, "SONG": 30, "MOVEMENT": 20,
  ]

  static func isKnown(_ value: UInt64) -> Bool { names.contains { $0.value == value } }

  static func name(_ value: UInt64, hasVideo: Bool) -> String? {
    names.first { $0.value == value }.map { hasVideo ? $0.video : $0.audio }
  }

  static func value(_ name: String) -> UInt64? {
    names.first { $0.audio == name || $0.video == name }?.value ?? others[name]
  }
}
