public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", decoders: [MuLawDecoder.self])
    .table(for: host)
}

/// A decoder for G.711 mu-law, which stores one byte for each audio sample.
///
/// Replace `decode` by your codec, and its name in `description`.
final class MuLawDecoder: Decoder {
  // The host reads the name and the codecs before it opens a decoder.
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .decoder, name: "template", longName: "G.711 mu-law (Template)")
    description.codecs = ["pcm_mulaw"]
    return description
  }

  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  // `extradata` of the track is the configuration record, if there is one.
  init(settings: DecoderSettings) throws(MediaError) {
    track = settings.track
    guard Self.supports(track), (1...64).contains(track.channelLayout.channelCount),
      track.sampleRate > 0
    else {
      throw MediaError(
        .unsupported,
        "\(track.codec) of \(track.channelLayout); pcm_mulaw of 1 to 64 channels is decoded")
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
    guard let bytes = packet.buffer?.readOnly, !bytes.isEmpty,
      bytes.count.isMultiple(of: channels),
      var frame = Frame(
        sampleFormat: .s16, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: bytes.count / channels, pts: packet.pts)
    else {
      throw MediaError(
        .malformed,
        "a packet of \(packet.size) bytes does not have whole audio samples of \(channels) channels"
      )
    }
    frame.duration = packet.duration
    for index in bytes.indices {
      frame.buffer.bytes.storeBytes(
        of: Self.decode(bytes[index]), toByteOffset: index * 2, as: Int16.self)
    }
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

  private static func decode(_ code: UInt8) -> Int16 {
    let value = ((Int(~code & 15) << 3) + 132) << Int(~code >> 4 & 7)
    return Int16(code & 128 != 0 ? value - 132 : 132 - value)
  }
}
