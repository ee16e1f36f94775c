import CRespool
package import RespoolMedia

/// A filter of a plugin, open for frames of one format.
///
/// One thread at a time, which the plugin allows to be any (filter.h).
package final class FilterInstance {
  package let factory: PluginFactory
  /// Description of the frames that come out, with the text of the track that comes in.
  package let track: TrackDescription

  private let functions: UnsafePointer<rsp_filter_factory>
  private let handle: OpaquePointer
  /// Services that the filter uses until it is closed.
  private let job: LentJob?
  private let services: PluginJob

  package init(_ factory: PluginFactory, _ settings: FilterSettings) throws(MediaError) {
    let chosen = try factory.completed(settings.options)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_filter_factory.self)
    let arena = factory.arena()
    let job = settings.job.isNone ? nil : LentJob(settings.job)
    let track = arena.box(settings.track.cValue(in: arena))
    var lent = rsp_filter_settings(
      struct_size: structSize(rsp_filter_settings.self),
      threads: UInt32(clamping: max(1, settings.threads)), track: track,
      options: rsp_options(chosen, in: arena), job: job?.pointer)
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let status = try factory.call(&record) { functions.pointee.open(head, &lent, &handle, $0) }
    withExtendedLifetime(arena) {}
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record.value, isCancelled: settings.job.isCancelled,
        refusal: chosen.isEmpty ? .unsupported : .invalidArgument)
    }
    self.factory = factory
    self.functions = functions
    self.handle = handle
    self.job = job
    services = settings.job
    let described = TrackDescription(functions.pointee.track(handle))
    self.track = settings.track.filtered(
      to: described, changesTimes: factory.description.flags.contains(.changesTimes))
    try check(described.kind)
  }

  deinit { functions.pointee.close(handle) }

  /// Sends a frame, or `nil` to drain.
  package func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    var record = LentStruct<rsp_error>()
    let status = try factory.call(&record) { record in
      frame?.withLent { functions.pointee.send(handle, $0, record) }
        ?? functions.pointee.send(handle, nil, record)
    }
    switch Int(status) {
    case Int(RSP_OK): return .accepted
    case Int(RSP_AGAIN): return .full
    default: throw factory.error(status, record.value, isCancelled: services.isCancelled)
    }
  }

  /// Returns the next frame, whose values have been checked against its format.
  package func receive() throws(MediaError) -> Output<Frame> {
    var room = LentStruct<rsp_frame>()
    var record = LentStruct<rsp_error>()
    let status = try factory.call(filling: &room, &record) {
      functions.pointee.receive(handle, $0, $1)
    }
    switch Int(status) {
    case Int(RSP_OK): return .value(try checked(room.value))
    case Int(RSP_AGAIN): return .needsInput
    case Int(RSP_END): return .end
    default: throw factory.error(status, record.value, isCancelled: services.isCancelled)
    }
  }

  /// Measurements, complete after `receive` returned `end`.
  package var results: [FilterResult] {
    guard let results = functions.pointee.results else { return [] }
    var count: UInt32 = 0
    let list = results(handle, &count)
    return rsp_result.list(list, min(count, Self.maximumResults)).map {
      FilterResult(
        String(cString: $0.name), String(cString: $0.value),
        unit: $0.unit.map { String(cString: $0) })
    }
  }

  /// Number of results that no filter reaches.
  private static let maximumResults: UInt32 = 1024

  /// Returns the frame and takes over its reference.
  ///
  /// Throws `pluginFailure` if its values do not fit its format.
  private func checked(_ value: borrowing rsp_frame) throws(MediaError) -> Frame {
    guard var frame = Frame(adopting: value) else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) returned a frame of the format \(value.format) without enough memory")
    }
    var problem = frame.problem
    if frame.kind != factory.description.filteredMedia { problem = "it is \(frame.kind)" }
    if let problem {
      throw MediaError(.pluginFailure, "\(factory.label) returned an invalid frame: \(problem)")
    }
    frame.forgetImpossibleTimes(in: track.timeBase)
    return frame
  }

  /// Throws `pluginFailure` if the description of the frames that come out lacks what the encoder needs.
  private func check(_ kind: TrackDescription.Kind) throws(MediaError) {
    var problem: String?
    if track.kind != kind { problem = "the kind is \(kind), not \(track.kind)" }
    if !track.timeBase.isPositive { problem = "the time base is \(track.timeBase)" }
    switch track.kind {
    case .video where track.width <= 0 || track.height <= 0 || track.pixelFormat.layout == nil:
      problem = "the frames have \(track.width)x\(track.height) pixels of \(track.pixelFormat)"
    case .audio
    where track.sampleRate <= 0 || track.channelLayout.channelCount <= 0
      || track.sampleFormat.bytesPerSample == 0:
      problem =
        "the audio has \(track.sampleRate) Hz, \(track.channelLayout), \(track.sampleFormat)"
    default: break
    }
    guard let problem else { return }
    throw MediaError(
      .pluginFailure, "\(factory.label) does not describe the frames that come out: \(problem)")
  }
}

extension FilterInstance {
  /// Sends a frame, or `nil` at the end, and passes every frame that is ready to `take`.
  package func filter(_ frame: Frame?, _ take: (Frame) throws(MediaError) -> Void)
    throws(MediaError)
  {
    while true {
      let isTaken = try send(frame) == .accepted
      var count = 0
      receiving: while true {
        switch try receive() {
        case .value(let result):
          count += 1
          try take(result)
        case .needsInput: break receiving
        case .end:
          if frame == nil { return }
          throw MediaError(.pluginFailure, "\(factory.label) ended before its input")
        }
      }
      if isTaken, frame != nil { return }
      guard !isTaken, count > 0 else {
        throw MediaError(
          .pluginFailure,
          frame == nil
            ? "\(factory.label) asks for input after the end"
            : "\(factory.label) neither accepts a frame nor returns one")
      }
    }
  }
}
