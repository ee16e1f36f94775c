/// When a sample is shown, when it is decoded and how long it lasts.
public struct SampleTiming: Hashable, Sendable {
  /// Of one sample.
  public var duration: MediaTime
  public var presentationTimeStamp: MediaTime
  /// Invalid where it is the same as the presentation time.
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
