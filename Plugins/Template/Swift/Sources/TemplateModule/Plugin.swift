public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", decoders: [Reverse.self])
    .table(for: host)
}

/// A decoder for the made-up codec `reverse`: audio samples are unsigned bytes with all bits inverted.
final class Reverse: Decoder {
  // The host reads the name and the codecs before it opens a decoder.
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .decoder, name: "reverse", longName: "Inverted 8-bit audio (example)")
    description.codecs = ["reverse"]
    return description
  }

  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    track = settings.track
    guard (1...64).contains(track.channelLayout.channelCount) else {
      throw MediaError(.unsupported, "\(track.channelLayout) in a track; 1 to 64 can be decoded")
    }
  }

  // Takes one packet. `.full` asks the host to call `receive` first. A packet of nil ends the stream.
  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    // The bytes come from a file. Check all of them, and throw an error that states what was found.
    let channels = track.channelLayout.channelCount
    guard let bytes = packet.buffer?.readOnly, bytes.count.isMultiple(of: channels) else {
      throw MediaError(
        .malformed, "a packet of \(packet.size) bytes is not a multiple of \(channels) channels")
    }
    guard
      let frame = Frame(
        sampleFormat: .u8, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: bytes.count / channels, pts: packet.pts)
    else { return .accepted }  // An empty packet decodes to nothing.
    for index in bytes.indices { frame.buffer.bytes[index] = ~bytes[index] }
    waiting = frame
    return .accepted
  }

  // Returns a decoded frame. The host calls this until no frame is left, then sends the next packet.
  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }

  // The host calls this after a seek to another position in the file.
  func flush() {
    waiting = nil
    isDraining = false
  }
}
