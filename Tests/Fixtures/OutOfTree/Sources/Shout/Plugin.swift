public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Shout", version: "0.1.0", license: "Apache-2.0", decoders: [Shout.self])
    .table(for: host)
}

/// Decodes the made-up codec `shout`: signed bytes, widened to 16 bits.
final class Shout: Decoder {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .decoder, name: "shout", longName: "Loud 8-bit sound (test)")
    description.codecs = ["shout"]
    return description
  }

  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) { track = settings.track }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    let channels = track.channelLayout.channelCount
    guard let bytes = packet.buffer?.readOnly, channels > 0, bytes.count.isMultiple(of: channels)
    else {
      throw MediaError(.malformed, "\(packet.size) bytes for \(channels) channels", offset: 7)
    }
    guard
      let frame = Frame(
        sampleFormat: .s16, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: bytes.count / channels, pts: packet.pts)
    else { return .accepted }
    frame.buffer.bytes.withMemoryRebound(to: Int16.self) { samples in
      for index in bytes.indices {
        samples[index] = Int16(Int8(bitPattern: bytes[index])) * 256
      }
    }
    waiting = frame
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }

  func flush() {
    waiting = nil
    isDraining = false
  }
}
