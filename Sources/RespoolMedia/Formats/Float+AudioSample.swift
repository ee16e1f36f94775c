extension Float {
  /// Maximum magnitude of an audio sample passed to an encoder: 24 dB above full scale.
  ///
  /// A margin of our own for peaks of floating-point audio; no standard sets one. Damaged files have samples such as 10^8
  /// or NaN, for which encoders stop the process or do not end.
  private static let greatestAudioSample: Float = 16

  /// `true` for a number that encoders take as an audio sample.
  package var isAudioSample: Bool { magnitude <= Self.greatestAudioSample }

  /// The number as an audio sample: 0 for NaN, and at most 24 dB above full scale.
  package var asAudioSample: Float {
    isNaN ? 0 : Swift.min(Swift.max(self, -Self.greatestAudioSample), Self.greatestAudioSample)
  }
}
