public import Dispatch
import RespoolMedia

extension AssetWriterInput {
  /// Has `block` bring samples whenever the input can take some.
  ///
  /// The block runs on `queue`, which has to be serial. It appends samples while
  /// `isReadyForMoreMediaData` is true and returns; it is called again when the input has become ready
  /// again, until it has marked the input as finished or the writer has ended, and is released then. Before
  /// the session starts it is not called. To be called once for an input, or once for
  /// each of its passes: a second call fails the writer.
  public func requestMediaDataWhenReady(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    let request = MediaDataRequest(self, on: queue, block: block)
    guard take(request) else {
      writer?.fail(
        MediaError(.invalidArgument, "media data of an input can be requested once only"))
      return
    }
    if isFinished || writer?.hasEnded ?? false { return request.end() }
    if isReadyForMoreMediaData { request.wake() }
  }
}
