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
