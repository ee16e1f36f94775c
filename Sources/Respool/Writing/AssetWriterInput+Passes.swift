public import Dispatch
import RespoolMedia

/// One run over the samples of an input.
public struct PassDescription: Hashable, Sendable {
  /// Which samples are to be appended in this pass, in the order of the ranges.
  public let sourceTimeRanges: [TimeRange]
}

/// Where an input is among its passes.
struct PassState {
  var current: PassDescription?
  var isOver = false
  var queue: DispatchQueue?
  var block: (@Sendable () -> Void)?
}

extension AssetWriterInput {
  /// Whether encoding in more than one pass is wanted, where the encoder can; false is the default.
  ///
  /// Read `canPerformMultiplePasses` for whether it will be.
  public var performsMultiPassEncodingIfSupported: Bool {
    get { configured(\.wantsMultiplePasses) }
    set { configure(\.wantsMultiplePasses, newValue) }
  }

  /// Whether samples may be asked for a second time.
  ///
  /// No encoder that is there does more than one pass over its samples: with any, the first pass is the
  /// last. Code that is written for several passes works with one.
  public var canPerformMultiplePasses: Bool { false }

  /// The pass that samples belong to; nil before writing begins and when no pass is left.
  public var currentPassDescription: PassDescription? { passes { $0.current } }

  /// Has `block` told whenever another pass begins, and when none is left.
  ///
  /// The block runs on `queue`, which has to be serial; it looks at `currentPassDescription`, and either
  /// appends the samples of its ranges and calls `markCurrentPassAsFinished`, or, where that is nil, calls
  /// `markAsFinished`. To be called once for an input, before or after writing begins: a second call
  /// fails the writer. Samples of a pass may be asked for by `requestMediaDataWhenReady` within the block.
  public func respondToEachPassDescription(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    let (isNew, isDue) = passes { state in
      guard state.block == nil, state.queue == nil else { return (false, false) }
      (state.queue, state.block) = (queue, block)
      return (true, state.current != nil || state.isOver)
    }
    guard isNew else {
      writer?.fail(MediaError(.invalidArgument, "passes of an input can be responded to once only"))
      return
    }
    if isDue { respond() }
  }

  /// All samples of the pass have been appended: says whether more are wanted, by way of the block.
  ///
  /// Calling it without a pass does nothing.
  public func markCurrentPassAsFinished() {
    let hadPass = passes { state in
      defer { (state.current, state.isOver) = (nil, true) }
      return state.current != nil
    }
    guard hadPass else { return }
    dropRequest()
    respond()
  }

  /// Writing has begun: all samples are wanted.
  func beginPasses() {
    passes { state in
      state.current = PassDescription(sourceTimeRanges: [
        TimeRange(start: .zero, duration: .positiveInfinity)
      ])
    }
    respond()
  }

  /// No pass is left, and nobody is told.
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
