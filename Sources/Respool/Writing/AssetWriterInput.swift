import RespoolMedia
import Synchronization

/// An input that appends media samples to one track of a writer's output.
///
/// The configuration can be changed until writing begins; later changes have no effect. One thread
/// at a time appends; everything else may be called from any thread.
public final class AssetWriterInput: Sendable {
  private struct State {
    weak var writer: AssetWriter?
    /// Checks, queues and encodes appended samples.
    ///
    /// `nil` until writing begins.
    var pipeline: InputPipeline?
    /// Registered request to call when more samples can be taken; `nil` if there is none.
    var request: MediaDataRequest?
  }

  public let mediaType: MediaType
  /// Encoder settings.
  ///
  /// `nil`: samples are passed through, and `sourceFormatHint` describes them.
  public let settings: Settings?
  public let sourceFormatHint: FormatDescription?
  let configuration = Freezable(Configuration())
  let passes = InputPasses()
  private let state = Mutex(State())

  public init(
    mediaType: MediaType, settings: Settings?, sourceFormatHint: FormatDescription? = nil
  ) {
    self.mediaType = mediaType
    self.settings = settings
    self.sourceFormatHint = sourceFormatHint
  }

  /// `true` if a sample can be appended without waiting.
  ///
  /// `false` while many appended samples wait to be encoded, and while this input is ahead of another one that is
  /// still being fed. Also `false` before the session starts and after it ends, when the input is finished, and
  /// when the writer has ended. A client then stops appending until the value is `true` again;
  /// `requestMediaDataWhenReady` calls back. A live source drops the sample instead.
  public var isReadyForMoreMediaData: Bool {
    guard let writer, writer.isInSession, let pipeline else { return false }
    return pipeline.isReady(among: writer.inputs.compactMap(\.pipeline))
  }

  /// Appends the media samples of `sample` in order.
  ///
  /// Returns when they are in the queue of the input; its thread encodes and writes them. Do not modify the sample or
  /// its pixel buffer afterwards. Call this while `isReadyForMoreMediaData` is `true`. If the queue is full, with 32
  /// samples or 32 MiB, the call blocks until there is room.
  ///
  /// A frame without a duration is shown until the next one; the last is shown as long as the one before it.
  ///
  /// Presentation times of decoded video must increase, and those of audio must not decrease. Coded video must come
  /// in decoding order; only a sync sample may have an earlier time. Otherwise the writer fails, its `error` gives
  /// the reason, and the call returns `false`. Also returns `false`, without an error, if the input has no writer,
  /// writing has not begun or has ended, or the input is finished. A failure of the encoder or the file shows in
  /// the writer's `status`, and in the next call.
  @discardableResult public func append(_ sample: SampleBuffer) -> Bool {
    append { (intake: SampleIntake) throws(MediaError) in try intake.append(sample) }
  }

  /// Calls `body` to append media; an error of `body` fails the writer.
  ///
  /// Returns `false` if `body` throws or the input accepts no more samples.
  func append(_ body: @Sendable (SampleIntake) throws(MediaError) -> Void) -> Bool {
    guard let writer, let pipeline, pipeline.admit(body) else { return false }
    state.withLock { $0.request }?.noteProgress()
    writer.noteReadiness()
    return true
  }

  /// Marks the input as finished: no more samples will come, and other inputs do not wait for this one.
  ///
  /// Does not wait for samples that are not encoded yet. Calling it again does nothing.
  public func markAsFinished() {
    guard let pipeline, pipeline.finish() else { return }
    endClients()
    writer?.noteReadiness()
  }

  var writer: AssetWriter? { state.withLock { $0.writer } }
  var pipeline: InputPipeline? { state.withLock { $0.pipeline } }
  var isFinished: Bool { pipeline?.isFinished ?? false }

  /// Adds the input to a writer.
  func attach(to writer: AssetWriter) { state.withLock { $0.writer = writer } }

  /// Begins to write; the configuration cannot be changed afterwards.
  func begin(_ pipeline: InputPipeline) {
    configuration.freeze()
    state.withLock { $0.pipeline = pipeline }
  }

  /// Drops samples that wait, and releases the blocks of clients; for a writer that has ended.
  func end() {
    pipeline?.queue.abandon()
    endClients()
  }

  /// Registers the request to call when more samples can be taken; returns `false` if there is one already.
  func take(_ request: MediaDataRequest) -> Bool {
    state.withLock { state in
      guard state.request == nil else { return false }
      state.request = request
      return true
    }
  }

  /// Notifies the client if the input has become ready.
  func noteReadiness() { state.withLock { $0.request }?.noteReadiness() }

  /// Releases the block that appends samples, so that the next pass can make a new request.
  func dropRequest() { state.withLock { $0.request.take() }?.end() }

  private func endClients() {
    state.withLock { $0.request }?.end()
    passes.end()
  }
}
