import CRespool
import RespoolMedia

extension EncoderSettings {
  /// The C form for an encoder of `factory`; what it points to lives as long as `arena` and `job`.
  ///
  /// The flags are limited to the abilities that the factory declares.
  func cValue(
    for factory: PluginFactory, job: UnsafePointer<rsp_job>?, in arena: CArena
  ) -> rsp_encoder_settings {
    let abilities = factory.description.flags
    let chosen = options.completed(by: factory.description.chosenOptions)
    var flags = 0
    if isLowDelay, abilities.contains(.lowDelay) { flags |= RSP_ENCODING_LOW_DELAY }
    if pass == .first { flags |= RSP_ENCODING_FIRST_PASS }
    var value = rsp_encoder_settings(
      struct_size: structSize(rsp_encoder_settings.self),
      threads: UInt32(clamping: max(1, threads)),
      track: arena.box(track.cValue(in: arena)), bit_rate: bitRate ?? 0, quality: quality ?? -1,
      options: rsp_options(chosen, in: arena), flags: UInt32(flags), reserved: 0, statistics: nil,
      statistics_size: 0, job: job,
      key_frame_interval: UInt32(clamping: max(0, keyFrameInterval ?? 0)),
      reserved_2: 0)
    if case .last(let statistics) = pass {
      (value.statistics, value.statistics_size) = (arena.bytes(statistics), statistics.count)
    }
    return value
  }
}

extension PluginFactory {
  /// Throws `invalidArgument` for a codec, an option, a quality, a bit rate or a pass that the description excludes.
  func check(_ settings: EncoderSettings) throws(MediaError) {
    let codecs = description.codecs
    guard codecs.contains(settings.track.codec) || description.flags.contains(.anyCodec) else {
      throw MediaError(
        .unsupported,
        "\(label) does not encode \(settings.track.codec); it encodes "
          + codecs.joined(separator: ", "))
    }
    try check(settings.options)
    if settings.pass != .only, !description.flags.contains(.twoPasses) {
      throw MediaError(.unsupported, "\(label) does not encode in two passes")
    }
    if let problem = description.problem(quality: settings.quality, bitRate: settings.bitRate) {
      throw MediaError(.invalidArgument, problem)
    }
  }
}

/// A C struct with the services of a job, at an address that does not change.
// Sendable: constants; the closures behind them are Sendable.
final class LentJob: @unchecked Sendable {
  let pointer: UnsafePointer<rsp_job>
  private let job: PluginJob

  init(_ job: PluginJob) {
    self.job = job
    let memory = UnsafeMutablePointer<rsp_job>.allocate(capacity: 1)
    pointer = UnsafePointer(memory)
    memory.initialize(
      to: rsp_job(
        struct_size: structSize(rsp_job.self), reserved: 0,
        context: Unmanaged.passUnretained(self).toOpaque(),
        cancelled: { LentJob.of($0).isCancelled ? 1 : 0 },
        warn: { LentJob.of($0).warn(String(cString: $1)) }))
  }

  deinit { UnsafeMutablePointer(mutating: pointer).deallocate() }

  /// Returns the job of a context, which is alive because its encoder is open.
  private static func of(_ context: UnsafeMutableRawPointer?) -> PluginJob {
    guard let context else { return .none }
    return Unmanaged<LentJob>.fromOpaque(context).takeUnretainedValue().job
  }
}
