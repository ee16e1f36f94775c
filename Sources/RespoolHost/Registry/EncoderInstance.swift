import CRespool
package import RespoolMedia

/// An encoder of a plugin, open for one track.
///
/// One thread at a time, which the plugin allows to be any (encoder.h).
package final class EncoderInstance {
  package let factory: PluginFactory
  /// Reason for choosing this encoder, one sentence for `-v`.
  package let reason: String

  private let services: PluginJob
  /// Comparison of input and output; `nil` in a first pass, whose packets are statistics.
  private var tally: EncoderTally?
  private var isAudio = false
  /// The track whose frames are encoded.
  private let input: TrackDescription
  /// Services of the job, which the plugin may use until it is closed.
  private let job: LentJob
  private let functions: UnsafePointer<rsp_encoder_factory>
  private let handle: OpaquePointer

  package init(_ factory: PluginFactory, _ settings: EncoderSettings, reason: String)
    throws(MediaError)
  {
    try factory.check(settings)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_encoder_factory.self)
    let arena = factory.arena()
    let job = LentJob(settings.job)
    let lent = arena.box(settings.cValue(for: factory, job: job.pointer, in: arena))
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let status = try factory.call(&record) { functions.pointee.open(head, lent, &handle, $0) }
    withExtendedLifetime(arena) {}
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record.value, isCancelled: settings.job.isCancelled,
        refusal: settings.refusal)
    }
    self.factory = factory
    self.reason = reason
    self.job = job
    self.services = settings.job
    input = settings.track
    if settings.pass != .first {
      let described = TrackDescription(functions.pointee.track(handle))
      isAudio = described.kind == .audio
      // Audio samples are counted, not their times.
      let rate = Rational(1, Int32(clamping: max(1, settings.track.sampleRate)))
      tally = EncoderTally(
        frames: isAudio ? rate : settings.track.timeBase, packets: described.timeBase)
    }
    self.functions = functions
    self.handle = handle
  }

  deinit { functions.pointee.close(handle) }

  /// Description of the encoded track: complete from the start, final after `receive` returned `end`.
  ///
  /// Language, tags, disposition and side data about high dynamic range that the plugin leaves out are those of the
  /// settings: encoding does not change them.
  package var track: TrackDescription {
    var track = TrackDescription(functions.pointee.track(handle))
    if (track.language ?? "und") == "und" { track.language = input.language }
    if track.metadata.isEmpty { track.metadata = input.metadata }
    track.disposition.formUnion(input.disposition)
    if track.preferredVolume == nil { track.preferredVolume = input.preferredVolume }
    let types = track.sideData.map(\.type)
    track.sideData += input.sideData.filter {
      FourCC.highDynamicRange.contains($0.type) && !types.contains($0.type)
    }
    return track
  }

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

  package func receive() throws(MediaError) -> Output<Packet> {
    var room = LentStruct<rsp_packet>()
    var record = LentStruct<rsp_error>()
    let status = try factory.call(filling: &room, &record) {
      functions.pointee.receive(handle, $0, $1)
    }
    switch Int(status) {
    case Int(RSP_OK):
      try factory.checkSize(ofPacket: room.value.buffer.size)
      let packet = Packet(adopting: room.value)
      guard packet.buffer != nil else {
        throw MediaError(
          .pluginFailure, "\(factory.label) returned a packet that is a range of a file")
      }
      return .value(packet)
    case Int(RSP_AGAIN): return .needsInput
    case Int(RSP_END): return .end
    default: throw factory.error(status, record.value, isCancelled: services.isCancelled)
    }
  }
}

extension EncoderInstance {
  /// Number of packets without bytes in a row after which an encoder is taken to be in an endless loop.
  private static let endless = 100_000

  /// Sends a frame, or `nil` at the end, and passes every packet that is ready to `take`.
  ///
  /// Throws `pluginFailure` at the end if the packets are not those of the frames.
  package func encode(_ frame: Frame?, _ take: (Packet) throws(MediaError) -> Void)
    throws(MediaError)
  {
    var state = Output<Packet>.needsInput
    while try send(frame) == .full {
      guard try drain(take, &state) == 0 else { continue }
      if frame == nil, case .end = state { break }
      throw MediaError(
        .pluginFailure, "\(factory.label) neither accepts a frame nor returns a packet")
    }
    if let frame { tally?.add(frame) }
    _ = try drain(take, &state)
    guard frame == nil else { return }
    guard case .end = state else {
      throw MediaError(.pluginFailure, "\(factory.label) asks for more frames after the end")
    }
    guard let difference = tally?.difference(track) else { return }
    guard difference.isLoss, !factory.description.flags.contains(.dropsFrames) else {
      return services.warn(difference.text)
    }
    throw MediaError(.pluginFailure, "\(factory.label) \(difference.text)")
  }

  /// Passes the packets that are ready to `take`, and returns their number.
  ///
  /// `state` is the last result of `receive`.
  private func drain(
    _ take: (Packet) throws(MediaError) -> Void, _ state: inout Output<Packet>
  ) throws(MediaError) -> Int {
    var (count, empty) = (0, 0)
    state = try receive()
    while case .value(let packet) = state {
      count += 1
      empty = packet.size == 0 ? empty + 1 : 0
      guard empty < Self.endless else {
        throw MediaError(
          .pluginFailure, "\(factory.label) returned \(empty) empty packets in a row")
      }
      if let fault = tally?.add(packet, isAudio: isAudio) {
        throw MediaError(.pluginFailure, "\(factory.label) returned \(fault)")
      }
      try take(packet)
      state = try receive()
    }
    return count
  }
}

extension EncoderSettings {
  /// The code of an error for settings that an encoder refuses.
  ///
  /// Without values that a user chose, the encoder does not take the track.
  fileprivate var refusal: MediaError.Code {
    options.isEmpty && quality == nil && bitRate == nil && keyFrameInterval == nil
      ? .unsupported : .invalidArgument
  }
}

extension PluginFactory {
  /// Throws the error with which an encoder would refuse the settings.
  ///
  /// Asks the plugin, which opens no encoder if it has a check of its own.
  package func checkEncoder(_ settings: EncoderSettings) throws(MediaError) {
    try check(settings)
    guard let encoding = try `extension`(RSP_ENCODING, as: rsp_encoding.self),
      let check = rsp_encoding.copy(encoding).check
    else {
      _ = try EncoderInstance(self, settings, reason: "")
      return
    }
    let head = try opened()
    let arena = arena()
    let lent = arena.box(settings.cValue(for: self, job: nil, in: arena))
    var record = LentStruct<rsp_error>()
    let status = try call(&record) { check(head, lent, $0) }
    withExtendedLifetime(arena) {}
    guard status == RSP_OK else {
      throw error(status, record.value, refusal: settings.refusal)
    }
  }

  /// Returns about how many bytes of memory an encoder with these settings takes; `nil` if this is unknown.
  package func encoderMemory(_ settings: EncoderSettings) throws(MediaError) -> Int64? {
    guard let encoding = try `extension`(RSP_ENCODING, as: rsp_encoding.self),
      let memory = rsp_encoding.copy(encoding).memory
    else { return nil }
    let arena = arena()
    let lent = arena.box(settings.cValue(for: self, job: nil, in: arena))
    let bytes = memory(try opened(), lent)
    withExtendedLifetime(arena) {}
    return bytes >= 0 ? bytes : nil
  }
}
