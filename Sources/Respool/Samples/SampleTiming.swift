/// Presentation time, decoding time and duration of a sample.
public struct SampleTiming: Hashable, Sendable {
  /// Duration of one sample.
  public var duration: MediaTime
  public var presentationTimeStamp: MediaTime
  /// Invalid if it equals the presentation time.
  public var decodeTimeStamp: MediaTime

  public init(
    duration: MediaTime = .invalid, presentationTimeStamp: MediaTime,
    decodeTimeStamp: MediaTime = .invalid
  ) {
    self.duration = duration
    self.presentationTimeStamp = presentationTimeStamp
    self.decodeTimeStamp = decodeTimeStamp
  }
}
