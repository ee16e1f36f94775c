public import Dispatch
import RespoolMedia

extension AssetWriterInput {
  /// Calls `block` to append samples whenever the input is ready.
  ///
  /// The block runs on `queue`, which must be serial. It appends samples while `isReadyForMoreMediaData` is
  /// `true`, then returns. It is called again each time the input becomes ready again. It is released after it
  /// has marked the input as finished or the writer has ended. It is not called before the session starts. Call
  /// this once for an input, or once for each of its passes: a second call fails the writer.
  public func requestMediaDataWhenReady(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    let request = MediaDataRequest(self, on: queue, block: block)
    guard take(request) else {
      writer?.fail(
        MediaError(.invalidArgument, "media data of an input can be requested only once"))
      return
    }
    if isFinished || writer?.hasEnded ?? false { return request.end() }
    if isReadyForMoreMediaData { request.wake() }
  }
}
