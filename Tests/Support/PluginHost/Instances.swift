import CRespool
public import RespoolMedia

/// Calls a function of the table and throws the error in the record if it fails.
private func call(
  _ body: (UnsafeMutablePointer<rsp_error>) -> rsp_status
) throws(MediaError) -> rsp_status {
  var record = rsp_error.empty
  let status = body(&record)
  if status < 0 { throw MediaError(status: status, record: record) }
  return status
}

/// Returns the handle from an open call, or throws if there is none.
private func opened(_ handle: OpaquePointer?) throws(MediaError) -> OpaquePointer {
  guard let handle else { throw MediaError(.internal, "success without an object") }
  return handle
}

/// An open demuxer.
public final class OpenDemuxer {
  private let table: rsp_demuxer_factory
  private let handle: OpaquePointer
  private let file: MemoryFile
  private var source: UnsafeMutablePointer<rsp_source>
  public let media: MediaDescription

  public init(_ plugin: LoadedPlugin, _ name: String, _ file: MemoryFile) throws(MediaError) {
    let factory = try plugin.factory(.demuxer, name, as: rsp_demuxer_factory.self)
    let head = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_factory.self)
    table = factory.pointee
    self.file = file
    source = .allocate(capacity: 1)
    source.initialize(to: file.source)
    var handle: OpaquePointer?
    var options = rsp_options()
    do throws(MediaError) {
      let (table, source) = (table, source)
      _ = try call { table.open(head, source, &options, &handle, $0) }
      self.handle = try opened(handle)
    } catch {
      source.deallocate()
      throw error
    }
    media = MediaDescription(table.media(self.handle))
  }

  deinit {
    table.close(handle)
    source.deallocate()
  }

  public func select(_ wanted: [Bool]) throws(MediaError) {
    let flags = wanted.map { $0 ? UInt8(1) : 0 }
    _ = try call { table.select(handle, flags, UInt32(flags.count), $0) }
  }

  public func seek(track: Int, to time: Int64) throws(MediaError) {
    guard let seek = table.seek else { throw MediaError(.unsupported, "no seek") }
    _ = try call { seek(handle, UInt32(track), time, $0) }
  }

  public func read() throws(MediaError) -> Packet? {
    var packet = rsp_packet()
    packet.struct_size = structSize(rsp_packet.self)
    let status = try call { table.read(handle, &packet, $0) }
    return status == rsp_status(RSP_END) ? nil : Packet(adopting: packet)
  }

  /// Everything up to the end, with the payload's bytes.
  public func readAll() throws(MediaError) -> [Packet] {
    var packets: [Packet] = []
    while var packet = try read() {
      packet.payload = .bytes(MediaBuffer(file.payload(of: packet)))
      packets.append(packet)
    }
    return packets
  }
}

/// An open decoder.
public final class OpenDecoder {
  private let table: rsp_decoder_factory
  private let handle: OpaquePointer

  public init(_ plugin: LoadedPlugin, _ name: String, _ track: TrackDescription)
    throws(MediaError)
  {
    let factory = try plugin.factory(.decoder, name, as: rsp_decoder_factory.self)
    let head = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_factory.self)
    let table = factory.pointee
    self.table = table
    let arena = CArena()
    let settings = rsp_decoder_settings(
      struct_size: structSize(rsp_decoder_settings.self), threads: 1,
      track: arena.box(track.cValue(in: arena)), options: rsp_options())
    var handle: OpaquePointer?
    _ = try call { record in
      withUnsafePointer(to: settings) { table.open(head, $0, &handle, record) }
    }
    withExtendedLifetime(arena) {}
    self.handle = try opened(handle)
  }

  deinit { table.close(handle) }

  public func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    let status = try call { record in
      packet?.withLent { table.send(handle, $0, record) } ?? table.send(handle, nil, record)
    }
    return status == rsp_status(RSP_AGAIN) ? .full : .accepted
  }

  public func receive() throws(MediaError) -> Output<Frame> {
    var frame = rsp_frame()
    frame.struct_size = structSize(rsp_frame.self)
    switch try call({ table.receive(handle, &frame, $0) }) {
    case rsp_status(RSP_AGAIN): return .needsInput
    case rsp_status(RSP_END): return .end
    default:
      guard let frame = Frame(adopting: frame) else {
        throw MediaError(.internal, "a frame without memory")
      }
      return .value(frame)
    }
  }

  public func flush() { table.flush(handle) }
}

/// An open encoder.
public final class OpenEncoder {
  private let table: rsp_encoder_factory
  private let handle: OpaquePointer

  public init(_ plugin: LoadedPlugin, _ name: String, _ track: TrackDescription)
    throws(MediaError)
  {
    let factory = try plugin.factory(.encoder, name, as: rsp_encoder_factory.self)
    let head = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_factory.self)
    let table = factory.pointee
    self.table = table
    let arena = CArena()
    // As an older host opens it: without the fields since 1.3.
    let settings = rsp_encoder_settings(
      struct_size: UInt32(MemoryLayout<rsp_encoder_settings>.offset(of: \.flags) ?? 0), threads: 1,
      track: arena.box(track.cValue(in: arena)), bit_rate: 0, quality: -1, options: rsp_options(),
      flags: .max, reserved: 0, statistics: nil, statistics_size: 0, job: nil,
      key_frame_interval: .max, reserved_2: 0)
    var handle: OpaquePointer?
    _ = try call { record in
      withUnsafePointer(to: settings) { table.open(head, $0, &handle, record) }
    }
    withExtendedLifetime(arena) {}
    self.handle = try opened(handle)
  }

  deinit { table.close(handle) }

  public var track: TrackDescription { TrackDescription(table.track(handle)) }

  public func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    let status = try call { record in
      frame?.withLent { table.send(handle, $0, record) } ?? table.send(handle, nil, record)
    }
    return status == rsp_status(RSP_AGAIN) ? .full : .accepted
  }

  public func receive() throws(MediaError) -> Output<Packet> {
    var packet = rsp_packet()
    packet.struct_size = structSize(rsp_packet.self)
    switch try call({ table.receive(handle, &packet, $0) }) {
    case rsp_status(RSP_AGAIN): return .needsInput
    case rsp_status(RSP_END): return .end
    default: return .value(Packet(adopting: packet))
    }
  }
}

/// An open muxer.
public final class OpenMuxer {
  private let table: rsp_muxer_factory
  private let handle: OpaquePointer
  private let file: MemoryFile
  private let sink: UnsafeMutablePointer<rsp_sink>

  public init(
    _ plugin: LoadedPlugin, _ name: String, _ media: MediaDescription, _ file: MemoryFile,
    options: [PluginOption] = []
  ) throws(MediaError) {
    let factory = try plugin.factory(.muxer, name, as: rsp_muxer_factory.self)
    let head = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_factory.self)
    let table = factory.pointee
    self.table = table
    self.file = file
    let sink = UnsafeMutablePointer<rsp_sink>.allocate(capacity: 1)
    sink.initialize(to: file.sink)
    self.sink = sink
    let arena = CArena()
    let description = arena.box(media.cValue(in: arena))
    var options = rsp_options(options, in: arena)
    var handle: OpaquePointer?
    do throws(MediaError) {
      _ = try call { table.open(head, description, sink, &options, &handle, $0) }
      self.handle = try opened(handle)
    } catch {
      sink.deallocate()
      throw error
    }
    withExtendedLifetime(arena) {}
  }

  deinit {
    table.close(handle)
    sink.deallocate()
  }

  public func timeBase(ofTrack track: Int) -> Rational {
    Rational(table.time_base(handle, UInt32(track)))
  }

  public func write(_ packet: Packet) throws(MediaError) {
    _ = try call { record in packet.withLent { table.write(handle, $0, record) } }
  }

  public func finish(_ media: MediaDescription) throws(MediaError) {
    let arena = CArena()
    let description = arena.box(media.cValue(in: arena))
    _ = try call { table.finish(handle, description, $0) }
    withExtendedLifetime(arena) {}
  }
}
