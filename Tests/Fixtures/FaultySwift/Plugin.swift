import Glibc
public import RespoolPlugin

/// A plugin written with the SDK, whose bug the variable `RESPOOL_FAULT` chooses; without it, the plugin is correct.
///
/// Tests of the verifier run it with each bug.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "faulty-swift", version: "1.0.0", license: "MIT", decoders: [FaultyDecoder.self],
    encoders: [FaultyEncoder.self]
  ).table(for: host)
}

/// Bugs that are easily made in Swift.
enum Fault: String {
  /// The pointer of a plane is kept, but not the buffer that owns it.
  case pointerKept = "pointer-kept"
  /// A closure of the encoder refers to the encoder.
  case retainCycle = "retain-cycle"
  /// A variable of the type is used as one of the instance.
  case staticState = "static-state"
  case trapOnShortFrame = "trap-on-short-frame"
  case prints
  /// The order of a dictionary differs between processes.
  case dictionaryOrder = "dictionary-order"
  case channelsReversed = "channels-reversed"
  case lastFrameDropped = "last-frame-dropped"
  case bufferReused = "buffer-reused"
  case emptyMessage = "empty-message"
  case stateAfterFlush = "state-after-flush"
  case timesOfNextPacket = "times-of-next-packet"

  static let current = getenv("RESPOOL_FAULT").flatMap { Fault(rawValue: String(cString: $0)) }
}
