import CRespool
package import RespoolMedia

/// A container file that a plugin writes.
///
/// One thread at a time, which the plugin allows to be any (muxer.h).
///
/// Closing it without `finish` leaves the file as it is. The sink belongs to the caller.
package final class MuxerInstance {
  package let factory: PluginFactory
  package let sink: FileSink

  private let functions: UnsafePointer<rsp_muxer_factory>
  private let handle: OpaquePointer
  /// Memory that the plugin may use for writing while it is open.
  private let arena: CArena
  private let trackCount: Int
  private var isFinished = false

  package init(
    _ factory: PluginFactory, media: MediaDescription, sink: FileSink, settings: MuxerSettings
  ) throws(MediaError) {
    let chosen = try factory.completed(settings.options)
    if settings.segmentFormat != .none, !factory.description.flags.contains(.writesSegments) {
      throw MediaError(.unsupported, "\(factory.label) does not write segments", file: sink.path)
    }
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_muxer_factory.self)
    let arena = factory.arena()
    let lentSink = arena.box(sink.cSink)
    // The plugin may use the media description only during the call.
    let lent = factory.arena()
    var cMedia = media.cValue(in: lent)
    var options = rsp_options(chosen, in: lent)
    var cSettings = settings.cValue(in: lent)
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let muxing = try factory.extension(RSP_MUXING, as: rsp_muxing.self)
    let status = try factory.call(&record) {
      muxing?.pointee.open(head, &cMedia, lentSink, &cSettings, &options, &handle, $0)
        ?? functions.pointee.open(head, &cMedia, lentSink, &options, &handle, $0)
    }
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record.value, place: sink.failure, file: sink.path,
        isCancelled: sink.source?.isCancelled ?? false,
        refusal: settings.haveNoChoices ? .unsupported : .invalidArgument)
    }
    withExtendedLifetime(lent) {}
    self.factory = factory
    self.sink = sink
    self.functions = functions
    self.handle = handle
    self.arena = arena
    self.trackCount = media.tracks.count
  }

  deinit { functions.pointee.close(handle) }

  /// Returns the time base that packets of `track` must have; `unknown` if there is no such track.
  package func timeBase(ofTrack track: Int) -> Rational {
    guard (0..<trackCount).contains(track) else { return .unknown }
    return Rational(functions.pointee.time_base(handle, UInt32(track)))
  }

  /// Writes one packet, which must have a decoding time.
  ///
  /// Packets of one track must come in decoding order, and the tracks interleaved by time.
  package func write(_ packet: Packet) throws(MediaError) {
    guard !isFinished, (0..<trackCount).contains(packet.track), packet.dts != nil else {
      throw MediaError(
        .invalidArgument,
        isFinished
          ? "the file is already completed"
          : packet.dts == nil
            ? "a packet without a decode time cannot be written"
            : "there is no \(TrackNumber(index: packet.track)): the file has \(trackCount)",
        file: sink.path)
    }
    var packet = packet
    if factory.description.flags.contains(.needsBytes), let source = sink.source {
      packet = try source.bytes(of: packet)
    }
    var record = LentStruct<rsp_error>()
    let status = try factory.call(&record) { record in
      packet.withLent { functions.pointee.write(handle, $0, record) }
    }
    try check(status, record.value)
  }

  /// Completes the file.
  ///
  /// `media` is the description given at opening, with the values that are known only at the end.
  package func finish(_ media: MediaDescription) throws(MediaError) {
    guard !isFinished else {
      throw MediaError(.invalidArgument, "the file is already completed", file: sink.path)
    }
    isFinished = true
    let lent = factory.arena()
    var cMedia = media.cValue(in: lent)
    var record = LentStruct<rsp_error>()
    let status = try factory.call(&record) { functions.pointee.finish(handle, &cMedia, $0) }
    withExtendedLifetime(lent) {}
    try check(status, record.value)
  }

  private func check(_ status: rsp_status, _ record: borrowing rsp_error) throws(MediaError) {
    guard status != RSP_OK else { return }
    throw factory.error(
      status, record, place: sink.failure, file: sink.path,
      isCancelled: sink.source?.isCancelled ?? false)
  }
}

extension MuxerSettings {
  /// `true` if all values are defaults, except those that an export finds in its source.
  fileprivate var haveNoChoices: Bool {
    var others = self
    (others.durationHint, others.isOptimizedForNetwork) = (nil, nil)
    others.tracks = tracks.map { track in
      var track = track
      track.references = []
      return track
    }.filter { $0 != Track() }
    return others == MuxerSettings()
  }
}
