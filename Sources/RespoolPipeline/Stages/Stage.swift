package import RespoolMedia

/// One step of a conversion: processes the output of the previous step and passes on its result.
///
/// A stage is called by one thread at a time, in order, and calls the next stage itself. A conversion is a
/// chain of calls from the demuxer to the muxer. Where work should overlap, a `QueueStage` between two stages
/// runs the following stages on a separate thread.
package protocol Stage<Input>: AnyObject {
  associatedtype Input
  /// Processes one item.
  ///
  /// An error ends the conversion.
  func consume(_ input: Input) throws(MediaError)
  /// Reports that no item is expected before a time, so that other tracks need not wait for it.
  ///
  /// The time is in nanoseconds on the movie's timeline. An item that comes earlier is merely late.
  func skip(to nanoseconds: Int64) throws(MediaError)
  /// Passes on the items held back, then finishes the next stage; no items follow.
  func finish() throws(MediaError)
}

extension Stage {
  package func skip(to nanoseconds: Int64) throws(MediaError) {}
}
