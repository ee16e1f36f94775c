public import Dispatch
import RespoolMedia

/// One run over the samples of an input.
public struct PassDescription: Hashable, Sendable {
  /// Which samples are to be appended in this pass, in the order of the ranges.
  public let sourceTimeRanges: [TimeRange]
}

/// Where an input is among its passes.
struct PassState {
  /// Samples that are appended now belong to the first of two passes, in which nothing is written.
  var appendsFirstPass = false
  /// The same of the samples that are encoded now, which may have been appended a while ago.
  var encodesFirstPass = false
  /// What the last pass goes by.
  var statistics: [UInt8] = []
  var current: PassDescription?
  var isOver = false
  var queue: DispatchQueue?
  var block: (@Sendable () -> Void)?
  /// Whoever asked for media data does so in all passes.
  var keepsRequest = false
}

extension AssetWriterInput {
  /// Whether encoding in more than one pass is wanted, where the encoder can; false is the default.
  ///
  /// Read `canPerformMultiplePasses` for whether it will be.
  public var performsMultiPassEncodingIfSupported: Bool {
    get { configured(\.wantsMultiplePasses) }
    set { configure(\.wantsMultiplePasses, newValue) }
  }

  /// Whether samples are asked for twice: that is wanted, and the encoder can make use of it.
  ///
  /// False before the input is added to a writer. Where it is false, and where nobody responds to passes
  /// when the first sample comes, the first pass is the last.
  public var canPerformMultiplePasses: Bool {
    performsMultiPassEncodingIfSupported && writer?.canAnalyse(self) ?? false
  }

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
    guard passes({ $0.current != nil }) else { return }
    let isFirst = passes { $0.appendsFirstPass }
    if !passes({ $0.keepsRequest }) { dropRequest() }
    if isFirst, let writer {
      return writer.finishAnalysis(of: self) { [weak self] in self?.respond() }
    }
    passes { ($0.current, $0.isOver) = (nil, true) }
    respond()
  }

  /// Writing has begun: all samples are wanted.
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

  /// What is added to the encoder's options in the current pass.
  var passOptions: [MetadataEntry] {
    let (isFirst, statistics) = passes { ($0.encodesFirstPass, $0.statistics) }
    if isFirst { return [MetadataEntry("pass", "first")] }
    guard !statistics.isEmpty else { return [] }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(statistics.count * 2)
    for byte in statistics {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return [
      MetadataEntry("pass", "last"),
      MetadataEntry("first-pass", String(decoding: text, as: UTF8.self)),
    ]
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
