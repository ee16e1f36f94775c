import CRespool
import RespoolMedia

/// Memory for a struct that a plugin fills in, with a margin after it.
///
/// A plugin that was built with a longer struct may write its own length instead of the stated `struct_size`. The
/// margin takes these bytes, and the host finds them.
struct LentStruct<Value: SizedStruct> {
  private(set) var value: Value
  private var margin = Margin(repeating: pattern)

  private typealias Margin = InlineArray<32, UInt64>
  private static var pattern: UInt64 { 0x5AC3_96E1_0F78_B42D }

  /// Creates room for a struct whose `struct_size` is set.
  init(_ value: Value) { self.value = value }

  /// Calls `body` with the address of the struct.
  mutating func lend<Result>(_ body: (UnsafeMutablePointer<Value>) -> Result) -> Result {
    // The address is that of the room, because the plugin may write to the margin.
    withUnsafeMutableBytes(of: &self) { room in
      room.withMemoryRebound(to: Value.self) { body($0.baseAddress.unsafelyUnwrapped) }
    }
  }

  /// `true` if the plugin has written to the margin.
  var isOverrun: Bool {
    var difference: UInt64 = 0
    for index in margin.indices { difference |= margin[index] ^ Self.pattern }
    return difference != 0
  }
}

extension PluginFactory {
  /// Calls a function of the plugin that fills in an error record.
  ///
  /// Throws `pluginFailure` if the plugin writes beyond the record.
  func call(
    _ record: inout LentStruct<rsp_error>,
    _ body: (UnsafeMutablePointer<rsp_error>) -> rsp_status
  ) throws(MediaError) -> rsp_status {
    let status = record.lend(body)
    if record.isOverrun { throw overrun(rsp_error.self) }
    return status
  }

  /// Calls a function of the plugin that fills in a struct and an error record.
  ///
  /// Throws `pluginFailure` if the plugin writes beyond one of them.
  func call<Value>(
    filling room: inout LentStruct<Value>, _ record: inout LentStruct<rsp_error>,
    _ body: (UnsafeMutablePointer<Value>, UnsafeMutablePointer<rsp_error>) -> rsp_status
  ) throws(MediaError) -> rsp_status {
    let status = room.lend { value in record.lend { body(value, $0) } }
    if room.isOverrun { throw overrun(Value.self) }
    if record.isOverrun { throw overrun(rsp_error.self) }
    return status
  }

  private func overrun<Value>(_ type: Value.Type) -> MediaError {
    let built = plugin.abi.map { "\($0)" } ?? "unknown"
    return MediaError(
      .pluginFailure,
      "\(label) wrote beyond the \(structSize(type)) bytes that \(type).struct_size states; it is "
        + "built for version \(built) of the plugin ABI, and this program has \(ABIVersion.host)")
  }
}

extension LentStruct<rsp_error> {
  /// Room for the error record of one call.
  init() { self.init(.empty) }
}

extension LentStruct<rsp_packet> {
  init() {
    var packet = rsp_packet()
    packet.struct_size = structSize(rsp_packet.self)
    self.init(packet)
  }
}

extension LentStruct<rsp_frame> {
  init() {
    var frame = rsp_frame()
    frame.struct_size = structSize(rsp_frame.self)
    self.init(frame)
  }
}
