package import RespoolMedia

/// One step of a conversion: takes what the step before gives, hands on what it makes of it.
///
/// A stage is called by one thread at a time, in order, and calls the next stage itself: a conversion
/// is a chain of calls from the demuxer to the muxer. Where work shall overlap, a `QueueStage` between
/// two stages moves what follows to a thread of its own.
package protocol Stage<Input>: AnyObject {
  associatedtype Input
  /// Takes one item. An error ends the conversion.
  func consume(_ input: Input) throws(MediaError)
  /// Says that nothing is to be expected before a time, in nanoseconds of the movie's time line, so
  /// that nobody waits for it; what comes earlier all the same is late and nothing worse.
  func skip(to nanoseconds: Int64) throws(MediaError)
  /// Nothing more will come: hands on what is held back, then finishes the next stage.
  func finish() throws(MediaError)
}

extension Stage {
  package func skip(to nanoseconds: Int64) throws(MediaError) {}
}
