import CRespool
package import RespoolMedia

/// A file that a plugin demuxes.
///
/// One thread at a time, which the plugin allows to be any (demuxer.h).
package final class DemuxerInstance {
  package let factory: PluginFactory
  /// Content of the file.
  package let media: MediaDescription
  /// Reason for choosing this plugin, one sentence for `-v`.
  package let reason: String
  /// Duration that the plugin states, in nanoseconds; that of `media` may be longer.
  ///
  /// `nil`: unknown.
  package let statedDuration: Int64?
  /// First packet with an impossible duration or trim, as a sentence.
  package private(set) var timeFault: String?
  /// The file.
  ///
  /// Payloads that are ranges are ranges of it.
  package let source: FileSource
  /// Error of the demuxer that came first and could not read the file, so that this one reads it.
  ///
  /// `nil` if this one came first.
  package internal(set) var rejection: MediaError?

  private let functions: UnsafePointer<rsp_demuxer_factory>
  private let handle: OpaquePointer
  /// Memory that the plugin may read while it is open.
  private let arena: CArena

  package init(
    _ factory: PluginFactory, _ source: FileSource, settings: DemuxerSettings = .init(),
    reason: String
  ) throws(MediaError) {
    let chosen = try factory.completed(settings.options)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_demuxer_factory.self)
    let arena = factory.arena()
    let lent = arena.box(source.cSource(in: arena))
    var options = rsp_options(chosen, in: arena)
    let timing = settings.timing.intersection(factory.description.packetTiming)
    var cSettings = rsp_demuxing_settings(
      struct_size: structSize(rsp_demuxing_settings.self), timing: timing.rawValue)
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let demuxing =
      try timing.isEmpty ? nil : factory.extension(RSP_DEMUXING, as: rsp_demuxing.self)
    let status = try factory.call(&record) {
      demuxing?.pointee.open(head, lent, &cSettings, &options, &handle, $0)
        ?? functions.pointee.open(head, lent, &options, &handle, $0)
    }
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record.value, place: source.failure, file: source.path,
        isCancelled: source.isCancelled, refusal: chosen.isEmpty ? .pluginFailure : .invalidArgument
      )
    }
    var media = MediaDescription(functions.pointee.media(handle))
    statedDuration = media.duration
    media.extendDurationToTracks()
    for index in media.tracks.indices { media.tracks[index].takeFactsOfPCM() }
    media.limitTags()
    media.takeLanguageOfTags()
    self.factory = factory
    self.source = source
    self.reason = reason
    self.functions = functions
    self.handle = handle
    self.arena = arena
    self.media = media
  }

  deinit { functions.pointee.close(handle) }

  /// Selects the tracks that `read` returns, with one flag for each track.
  ///
  /// To be called before the first read or directly after a seek.
  package func select(_ wanted: [Bool]) throws(MediaError) {
    try TrackDescription.check(selection: wanted, trackCount: media.tracks.count)
    var record = LentStruct<rsp_error>()
    let flags = wanted.map { UInt8($0 ? 1 : 0) }
    let status = try factory.call(&record) { record in
      flags.withUnsafeBufferPointer { flags in
        guard let base = flags.baseAddress else { return rsp_status(RSP_OK) }
        return functions.pointee.select(handle, base, UInt32(flags.count), record)
      }
    }
    try check(status, record.value)
  }

  /// Returns the next packet; `nil` at the end.
  ///
  /// After an error the next call continues after the damage, or reports the end.
  package func read() throws(MediaError) -> Packet? {
    var room = LentStruct<rsp_packet>()
    var record = LentStruct<rsp_error>()
    let status = try factory.call(filling: &room, &record) {
      functions.pointee.read(handle, $0, $1)
    }
    if status == RSP_END { return nil }
    try check(status, record.value)
    try factory.checkSize(ofPacket: room.value.buffer.size)
    var packet = Packet(adopting: room.value)
    guard packet.track < media.tracks.count else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) returned a packet of \(TrackNumber(index: packet.track)), but the "
          + "number of tracks is \(media.tracks.count)", file: source.path)
    }
    let further = media.tracks[packet.track].furtherSampleDescriptions.count
    guard packet.sampleDescriptionIndex <= further else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) returned a packet with sample description "
          + "\(packet.sampleDescriptionIndex) of "
          + "\(TrackNumber(index: packet.track)), which has only "
          + "\(further) additional ones", file: source.path)
    }
    if case .range(let offset, let length) = packet.payload {
      try source.check(range: offset, length)
    }
    do throws(MediaError) {
      let fault = try packet.checkTimes(in: media.tracks[packet.track].timeBase)
      timeFault = timeFault ?? fault
    } catch {
      throw error.inFile(source.path)
    }
    return packet
  }

  /// Seeks to the last sync sample from which `track` can be decoded to show `time`, in the time base of
  /// the track.
  ///
  /// The other selected tracks are moved to the same place.
  package func seek(track: Int, to time: Int64) throws(MediaError) {
    guard media.tracks.indices.contains(track) else {
      throw MediaError(
        .invalidArgument, "there is no \(TrackNumber(index: track))", file: source.path)
    }
    guard let seek = functions.pointee.seek else {
      throw MediaError(
        .unsupported, "\(factory.label) cannot seek", file: source.path)
    }
    var record = LentStruct<rsp_error>()
    let status = try factory.call(&record) { seek(handle, UInt32(track), time, $0) }
    try check(status, record.value)
  }

  private func check(_ status: rsp_status, _ record: borrowing rsp_error) throws(MediaError) {
    guard status != RSP_OK else { return }
    throw factory.error(
      status, record, place: source.failure, file: source.path, isCancelled: source.isCancelled)
  }
}
