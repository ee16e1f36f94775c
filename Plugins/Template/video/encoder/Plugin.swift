public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", encoders: [V308Encoder.self])
    .table(for: host)
}

/// An encoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.
///
/// Replace `encode` by your codec, and the codec, formats and quality scale in `description`.
final class V308Encoder: Encoder {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .encoder, name: "template", longName: "v308 (Template)")
    description.codecs = ["v308"]
    description.pixelFormats = [.yuv444p]
    // Rate control that presets may set. With a quality scale: its direction, limits, step and default.
    description.rateControl = RateControl(.video)
    return description
  }

  /// The encoded track, with the time base of the frames.
  private(set) var track: TrackDescription
  private var waiting: Packet?
  private var isDraining = false
  private var next: Int64 = 0

  init(settings: EncoderSettings) throws(MediaError) {
    let input = settings.track
    guard input.codec == "v308", input.pixelFormat == .yuv444p, input.width > 0, input.height > 0
    else {
      throw MediaError(
        .unsupported,
        "\(input.codec) of \(input.width)x\(input.height) pixels of \(input.pixelFormat.name) is requested; "
          + "v308 of yuv444p is encoded")
    }
    track = input
    track.extradata = []
  }

  // Takes a frame; nil ends the stream: what the codec holds back comes out of `receive`. `.full` asks the host to
  // call `receive` first. If the flags contain `.mustBeKey`, the packet is a key packet; here all are.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame, frame.planes.count == 3 else {
      isDraining = true
      return .accepted
    }
    let buffer = MediaBuffer(count: frame.width * frame.height * 3)
    Self.encode(frame, to: buffer.bytes)
    let time = frame.pts ?? next
    next = time + frame.duration
    waiting = Packet(
      track: 0, pts: time, dts: time, duration: frame.duration, flags: .key,
      payload: .bytes(buffer))
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(packet)
  }

  private static func encode(_ frame: Frame, to bytes: UnsafeMutableRawBufferPointer) {
    for (position, plane) in [2, 0, 1].map({ frame.planes[$0] }).enumerated() {
      for y in 0..<frame.height {
        for x in 0..<frame.width {
          bytes[(y * frame.width + x) * 3 + position] =
            plane.base.load(fromByteOffset: y * plane.stride + x, as: UInt8.self)
        }
      }
    }
  }
}
