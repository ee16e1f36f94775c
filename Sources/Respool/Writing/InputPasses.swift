import Dispatch
import RespoolHost
import RespoolMedia
import Synchronization

/// Passes over an input's samples, and the client that responds to them.
final class InputPasses: Sendable {
  private struct State {
    /// `true` if samples appended now belong to the first of two passes, in which nothing is written.
    var appendsFirst = false
    /// `true` if samples encoded now belong to the first pass; they may have been appended a while ago.
    var encodesFirst = false
    /// Statistics of the first pass, which the last pass uses.
    var statistics: [UInt8] = []
    var current: PassDescription?
    var isOver = false
    var queue: DispatchQueue?
    var block: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// Files of encoders that pass their statistics in files.
  let scratch = ScratchFiles()

  /// Current pass; `nil` before writing begins and when no pass is left.
  var current: PassDescription? { state.withLock { $0.current } }
  /// `true` if a pass has begun or none is left.
  var isDue: Bool { state.withLock { $0.current != nil || $0.isOver } }
  var appendsFirst: Bool { state.withLock { $0.appendsFirst } }

  /// Pass in which the encoder is opened.
  var encodingPass: EncoderSettings.Pass {
    state.withLock { state in
      if state.encodesFirst { return .first }
      return state.statistics.isEmpty ? .only : .last(statistics: state.statistics)
    }
  }

  /// Sets the block to call on `queue` for each pass; returns `false` if there is one already.
  func setClient(_ block: @escaping @Sendable () -> Void, on queue: DispatchQueue) -> Bool {
    let (isNew, isDue) = state.withLock { state in
      guard state.block == nil, state.queue == nil else { return (false, false) }
      (state.queue, state.block) = (queue, block)
      return (true, state.current != nil || state.isOver)
    }
    if isDue { respond() }
    return isNew
  }

  /// Begins the first pass, which needs all samples.
  func begin(isFirstOfTwo: Bool) {
    state.withLock { state in
      (state.appendsFirst, state.encodesFirst) = (isFirstOfTwo, isFirstOfTwo)
      state.current = PassDescription(sourceTimeRanges: [
        TimeRange(start: .zero, duration: .positiveInfinity)
      ])
    }
    respond()
  }

  /// Notes the first sample of a pass: a client without a block for passes appends all samples only once.
  func noteFirstSample() {
    state.withLock { state in
      if state.block == nil { (state.appendsFirst, state.encodesFirst) = (false, false) }
    }
  }

  /// Notes that all samples of the first pass have been appended.
  func endAppendingFirst() { state.withLock { $0.appendsFirst = false } }

  /// Begins the last pass, after all samples of the first have been encoded.
  func beginLast(statistics: [UInt8]) {
    state.withLock { ($0.encodesFirst, $0.statistics) = (false, statistics) }
    respond()
  }

  /// Ends the last pass.
  func finishLast() {
    state.withLock { ($0.current, $0.isOver) = (nil, true) }
    respond()
  }

  /// Ends all passes without calling the block, and releases it.
  func end() {
    let last = state.withLock { state in
      (state.current, state.isOver) = (nil, true)
      return state.block.take()
    }
    withExtendedLifetime(last) {}
  }

  private func respond() {
    let (queue, block) = state.withLock { ($0.queue, $0.block) }
    if let queue, let block { queue.async(execute: block) }
  }
}
