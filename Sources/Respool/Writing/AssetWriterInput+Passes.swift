public import Dispatch
import RespoolMedia

/// One pass over the samples of an input; with two passes, the encoder uses statistics of the first in the second.
public struct PassDescription: Hashable, Sendable {
  /// Time ranges of the samples to append in this pass, in the order in which to append them.
  public let sourceTimeRanges: [TimeRange]
}

/// State of an input's passes.
struct PassState {
  /// `true` if samples appended now belong to the first of two passes, in which nothing is written.
  var appendsFirstPass = false
  /// `true` if samples encoded now belong to the first pass; they may have been appended a while ago.
  var encodesFirstPass = false
  /// Statistics of the first pass, which the last pass uses.
  var statistics: [UInt8] = []
  var current: PassDescription?
  var isOver = false
  var queue: DispatchQueue?
  var block: (@Sendable () -> Void)?
  /// `true` if one request of media data stays in effect for all passes.
  var keepsRequest = false
}

extension AssetWriterInput {
  /// `true` if the input is to be encoded in several passes, if its encoder supports that.
  ///
  /// `false` by default. `canPerformMultiplePasses` states whether it will be.
  public var performsMultiPassEncodingIfSupported: Bool {
    get { configured(\.wantsMultiplePasses) }
    set { configure(\.wantsMultiplePasses, newValue) }
  }

  /// `true` if samples will be requested twice: several passes are enabled, and the encoder supports them.
  ///
  /// `false` before the input is added to a writer. There is only one pass if it is `false`, or if no block
  /// responds to passes when the first sample arrives.
  public var canPerformMultiplePasses: Bool {
    performsMultiPassEncodingIfSupported && writer?.canAnalyse(self) ?? false
  }

  /// Current pass; `nil` before writing begins and when no pass is left.
  public var currentPassDescription: PassDescription? { passes { $0.current } }

  /// Calls `block` when each pass begins, and when none is left.
  ///
  /// The block runs on `queue`, which must be serial. It reads `currentPassDescription`. If that is a pass, it
  /// appends the samples of its time ranges and calls `markCurrentPassAsFinished`. If that is `nil`, it calls
  /// `markAsFinished`. Call this once for an input, before or after writing begins: a second call fails the
  /// writer. Within the block, `requestMediaDataWhenReady` may be called for the samples of the pass.
  public func respondToEachPassDescription(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    let (isNew, isDue) = passes { state in
      guard state.block == nil, state.queue == nil else { return (false, false) }
      (state.queue, state.block) = (queue, block)
      return (true, state.current != nil || state.isOver)
    }
    guard isNew else {
      writer?.fail(
        MediaError(
          .invalidArgument, "respondToEachPassDescription can be called only once for an input"))
      return
    }
    if isDue { respond() }
  }

  /// Marks the current pass as finished: all its samples have been appended.
  ///
  /// The block is then called for the next step. Calling it without a pass does nothing.
  public func markCurrentPassAsFinished() {
    guard passes({ $0.current != nil }) else { return }
    let isFirst = passes { $0.appendsFirstPass }
    if !passes({ $0.keepsRequest }) { dropRequest() }
    if isFirst, let writer {
      return writer.finishAnalysis(of: self) { [weak self] in self?.respond() }
    }
    passes { ($0.current, $0.isOver) = (nil, true) }
    respond()
  }

  /// Begins the first pass, which needs all samples, when writing begins.
  func beginPasses() {
    let isFirst = canPerformMultiplePasses
    passes { state in
      (state.appendsFirstPass, state.encodesFirstPass) = (isFirst, isFirst)
      state.current = PassDescription(sourceTimeRanges: [
        TimeRange(start: .zero, duration: .positiveInfinity)
      ])
    }
    respond()
  }

  /// Pass in which the encoder is opened.
  var encodingPass: EncoderSettings.Pass {
    passes { state in
      if state.encodesFirstPass { return .first }
      return state.statistics.isEmpty ? .only : .last(statistics: state.statistics)
    }
  }

  /// Ends all passes without calling the block.
  func endPasses() {
    let last = passes { state in
      defer { (state.current, state.isOver, state.block) = (nil, true, nil) }
      return state.block
    }
    withExtendedLifetime(last) {}
  }

  private func respond() {
    let (queue, block) = passes { ($0.queue, $0.block) }
    if let queue, let block { queue.async(execute: block) }
  }
}
