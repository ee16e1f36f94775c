import CRespool
import RespoolMedia

/// The common base class of the boxes of open plugin objects, with the memory that the host may still point to.
class LendingBox {
  /// The last description returned to the host, with its memory.
  private var described: (track: TrackDescription, value: UnsafePointer<rsp_track>, CArena)?
  /// Holds the side data of the last packet or frame, which is lent until the next call.
  private var lent: CArena?

  /// Returns a description in C, which stays valid until another description is returned.
  final func pointer(to track: TrackDescription) -> UnsafePointer<rsp_track> {
    if let described, described.track == track { return described.value }
    let arena = CArena(readerMinor: Log.hostMinor)
    let value = UnsafePointer(arena.box(track.cValue(in: arena)))
    described = (track, value, arena)
    return value
  }

  /// Stores the frame of an output in the host's struct; returns the status of the call.
  final func store(_ output: Output<Frame>, in frame: UnsafeMutablePointer<rsp_frame>) -> rsp_status
  {
    store(output) { $0.exported(in: lend).fill(frame) }
  }

  /// Stores the packet of an output in the host's struct; returns the status of the call.
  final func store(
    _ output: Output<Packet>, in packet: UnsafeMutablePointer<rsp_packet>
  ) -> rsp_status {
    store(output) { $0.exported(in: lend).fill(packet) }
  }

  private func store<Value>(_ output: Output<Value>, _ fill: (Value) -> Void) -> rsp_status {
    lent = nil
    switch output {
    case .value(let value):
      fill(value)
      return rsp_status(RSP_OK)
    case .needsInput: return rsp_status(RSP_AGAIN)
    case .end: return rsp_status(RSP_END)
    }
  }

  /// Returns the memory for side data.
  private func lend() -> CArena {
    let arena = lent ?? CArena()
    lent = arena
    return arena
  }
}

extension Frame {
  /// Returns a frame that the host sends, or `nil` if it ends the input.
  ///
  /// Throws `invalidArgument` for a frame without memory of its own.
  static func sent(_ frame: UnsafePointer<rsp_frame>?) throws(MediaError) -> Frame? {
    guard let frame else { return nil }
    guard let frame = Frame(retaining: frame) else {
      throw MediaError(
        .invalidArgument, "the frame has no memory of its own or too few planes for its format")
    }
    return frame
  }
}
