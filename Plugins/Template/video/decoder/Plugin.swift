public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", decoders: [V308Decoder.self])
    .table(for: host)
}

/// A decoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.
///
/// Replace `decode` by your codec, and its name in `description`.
final class V308Decoder: Decoder {
  // The host reads the name and the codecs before it opens a decoder.
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .decoder, name: "template", longName: "v308 (Template)")
    description.codecs = ["v308"]
    return description
  }

  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  // `extradata` of the track is the configuration record, if there is one.
  init(settings: DecoderSettings) throws(MediaError) {
    track = settings.track
    guard track.codec == "v308", (1...32768).contains(track.width),
      (1...32768).contains(track.height)
    else {
      throw MediaError(
        .unsupported,
        "\(track.codec) of \(track.width)x\(track.height) pixels; v308 of 1 to 32768 is decoded")
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
    let needed = track.width * track.height * 3
    guard let bytes = packet.buffer?.readOnly, bytes.count >= needed,
      var frame = Frame(
        pixelFormat: .yuv444p, width: track.width, height: track.height, pts: packet.pts)
    else {
      throw MediaError(
        .malformed,
        "a packet has \(packet.size) bytes; a frame of \(track.width)x\(track.height) pixels needs \(needed)"
      )
    }
    frame.duration = packet.duration
    frame.sampleAspect = track.sampleAspect
    frame.color = track.color
    Self.decode(bytes, to: frame)
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

  private static func decode(_ bytes: UnsafeRawBufferPointer, to frame: Frame) {
    for (position, plane) in [2, 0, 1].map({ frame.planes[$0] }).enumerated() {
      for y in 0..<frame.height {
        for x in 0..<frame.width {
          plane.base.storeBytes(
            of: bytes[(y * frame.width + x) * 3 + position], toByteOffset: y * plane.stride + x,
            as: UInt8.self)
        }
      }
    }
  }
}
