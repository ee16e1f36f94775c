package import CRespool

extension Packet {
  /// Takes over the reference of a packet that the other side of the plugin boundary returned.
  package init(adopting value: borrowing rsp_packet) {
    self.init(value, buffer: MediaBuffer.adopting(value.buffer))
  }

  /// Keeps a packet that was only lent for a call.
  package init(retaining packet: UnsafePointer<rsp_packet>) {
    let value = rsp_packet.copy(packet)
    self.init(value, buffer: MediaBuffer.retaining(value.buffer))
  }

  private init(_ value: borrowing rsp_packet, buffer: MediaBuffer?) {
    let payload: Payload
    if let buffer {
      payload = .bytes(buffer)
    } else if value.range_length > 0 {
      payload = .range(offset: value.range_offset, length: value.range_length)
    } else {
      payload = .bytes(MediaBuffer(count: 0))
    }
    self.init(
      track: Int(value.track), pts: time(value.pts), dts: time(value.dts),
      duration: value.duration, flags: Flags(rawValue: value.flags), payload: payload)
    trimStart = value.trim_start
    trimEnd = value.trim_end
    sampleDescriptionIndex = Int(value.format)
    if let list = value.records { records = [SideData](list, value.record_count) }
    if let data = value.side_data {
      sideData = Array(UnsafeBufferPointer(start: data, count: Int(value.side_data_size)))
    }
  }

  /// Calls `body` with the C form, lent for the call.
  package func withLent<R>(_ body: (UnsafePointer<rsp_packet>) -> R) -> R {
    sideData.withUnsafeBufferPointer { side in
      var value = base
      if case .bytes(let buffer) = payload { value.buffer = buffer.lent() }
      value.side_data = side.isEmpty ? nil : side.baseAddress
      value.side_data_size = UInt32(side.count)
      let arena = records.isEmpty ? nil : CArena()
      if let arena { value.records = records.cValue(in: arena) }
      return withExtendedLifetime((self, arena)) { withUnsafePointer(to: value) { body($0) } }
    }
  }

  /// The C form with a reference that the receiver must release.
  ///
  /// Side data is lent: its copy lives as long as `arena`, which is only asked for if there is any.
  package func exported(in arena: () -> CArena) -> rsp_packet {
    var value = base
    if case .bytes(let buffer) = payload { value.buffer = buffer.exported() }
    if !sideData.isEmpty {
      value.side_data = arena().array(sideData)
      value.side_data_size = UInt32(sideData.count)
    }
    if !records.isEmpty { value.records = records.cValue(in: arena()) }
    return value
  }

  private var base: rsp_packet {
    var value = rsp_packet()
    value.struct_size = structSize(rsp_packet.self)
    value.track = UInt32(clamping: track)
    value.pts = pts ?? .min
    value.dts = dts ?? .min
    value.duration = duration
    value.flags = flags.rawValue
    value.trim_start = trimStart
    value.trim_end = trimEnd
    value.format = UInt32(clamping: sampleDescriptionIndex)
    value.record_count = UInt32(clamping: records.count)
    if case .range(let offset, let length) = payload {
      value.range_offset = offset
      value.range_length = length
    }
    return value
  }
}
