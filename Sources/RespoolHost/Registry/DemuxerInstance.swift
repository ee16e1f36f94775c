import CRespool
public import RespoolMedia

/// A file that a plugin takes apart. One thread at a time.
// Sendable: one thread at a time uses it, which is the caller's duty; the plugin allows any (demuxer.h).
public final class DemuxerInstance: @unchecked Sendable {
  public let factory: PluginFactory
  /// What is in the file.
  public let media: MediaDescription
  /// Why this plugin was chosen, one sentence for `-v`.
  public let reason: String
  /// The file; ranges that packets carry are ranges of it.
  public let source: FileSource

  private let functions: UnsafePointer<rsp_demuxer_factory>
  private let handle: OpaquePointer
  /// Holds what the plugin may read as long as it is open.
  private let arena: CArena

  package init(
    _ factory: PluginFactory, _ source: FileSource, options: [MetadataEntry] = [], reason: String
  ) throws(MediaError) {
    try factory.check(options)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_demuxer_factory.self)
    let arena = CArena()
    let lent = arena.box(source.cSource(in: arena))
    var cOptions = rsp_options(options, in: arena)
    var record = rsp_error.empty
    var handle: OpaquePointer?
    let status = functions.pointee.open(head, lent, &cOptions, &handle, &record)
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record, place: source.failure, file: source.path, isCancelled: source.isCancelled)
    }
    var media = MediaDescription(functions.pointee.media(handle))
    media.extendDurationToTracks()
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

  /// Which tracks `read` shall return, one flag to a track; before the first read or straight after a
  /// seek.
  public func select(_ wanted: [Bool]) throws(MediaError) {
    guard wanted.count == media.tracks.count else {
      throw MediaError(
        .invalidArgument, "\(wanted.count) flags were given for \(media.tracks.count) tracks")
    }
    var record = rsp_error.empty
    let flags = wanted.map { UInt8($0 ? 1 : 0) }
    let status = flags.withUnsafeBufferPointer { flags -> rsp_status in
      guard let base = flags.baseAddress else { return rsp_status(RSP_OK) }
      return functions.pointee.select(handle, base, UInt32(flags.count), &record)
    }
    try check(status, record)
  }

  /// The next packet, or nil at the end.
  ///
  /// After an error the next call goes on behind the damage, or ends.
  public func read() throws(MediaError) -> Packet? {
    var value = rsp_packet()
    value.struct_size = structSize(rsp_packet.self)
    var record = rsp_error.empty
    let status = functions.pointee.read(handle, &value, &record)
    if status == RSP_END { return nil }
    try check(status, record)
    var packet = Packet(adopting: value)
    guard packet.track < media.tracks.count else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) gave a packet of \(TrackNumber(index: packet.track)), and there are "
          + "\(media.tracks.count)", file: source.path)
    }
    guard packet.format <= media.tracks[packet.track].furtherFormats.count else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) gave a packet of the format \(packet.format) of "
          + "\(TrackNumber(index: packet.track)), which has "
          + "\(media.tracks[packet.track].furtherFormats.count) further ones", file: source.path)
    }
    if case .range(let offset, let length) = packet.payload {
      try source.check(range: offset, length)
    }
    do throws(MediaError) {
      try packet.checkTimes(in: media.tracks[packet.track].timeBase)
    } catch {
      throw error.inFile(source.path)
    }
    return packet
  }

  /// Goes to the last place from which `track` can be decoded so that `time`, in its time base, is
  /// shown; the other selected tracks go along.
  public func seek(track: Int, to time: Int64) throws(MediaError) {
    guard media.tracks.indices.contains(track) else {
      throw MediaError(
        .invalidArgument, "there is no \(TrackNumber(index: track))", file: source.path)
    }
    guard let seek = functions.pointee.seek else {
      throw MediaError(
        .unsupported, "\(factory.label) cannot go to another place in a file", file: source.path)
    }
    var record = rsp_error.empty
    try check(seek(handle, UInt32(track), time, &record), record)
  }

  private func check(_ status: rsp_status, _ record: borrowing rsp_error) throws(MediaError) {
    guard status != RSP_OK else { return }
    throw factory.error(
      status, record, place: source.failure, file: source.path, isCancelled: source.isCancelled)
  }
}
