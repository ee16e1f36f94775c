import Respool
import RespoolMedia

/// Checks of a decoder: it survives random bytes, can be flushed and drained, and its frames outlive it.
struct DecoderChecks {
  let factory: PluginFactory
  let plugin: PluginRecord

  func run(_ report: inout Report) {
    for codec in factory.description.codecs {
      report.check("\(codec): garbage, flush, drain") { () throws(Finding) in
        var words: [String] = []
        for track in tracks(codec) { words.append(try garbage(track)) }
        return words.joined(separator: "; ")
      }
    }
    // Only an encoder of the same plugin is certain to make valid packets.
    for encoder in plugin.provided where encoder.description.kind == .encoder {
      for codec in encoder.description.codecs where factory.description.codecs.contains(codec) {
        guard let input = EncoderChecks.inputs(of: encoder.description, codec).first else {
          continue
        }
        report.check("\(codec): decodes the output of \(encoder.description.name)") {
          () throws(Finding) in
          try roundTrip(EncoderChecks(factory: encoder).encode(input), input)
        }
      }
    }
    report.check("unknown codec") { () throws(Finding) in
      for track in tracks("no_such_codec") {
        do throws(MediaError) {
          guard try DecoderInstance.supports(factory, track) else { continue }
          _ = try DecoderInstance(factory, DecoderSettings(track: track), reason: "")
        } catch {
          _ = try message(of: error)
          continue
        }
        throw Finding("opened for the codec no_such_codec; an error was expected")
      }
      return "refused"
    }
  }

  private func tracks(_ codec: String) -> [TrackDescription] {
    [SyntheticMedia.videoTrack(codec, .yuv420p), SyntheticMedia.audioTrack(codec, .s16)]
  }

  private func garbage(_ track: TrackDescription) throws(Finding) -> String {
    let decoder: DecoderInstance
    do throws(MediaError) {
      decoder = try DecoderInstance(factory, DecoderSettings(track: track), reason: "")
    } catch {
      return try message(of: error)
    }
    var noise = Noise(seed: 7)
    var held: [Frame] = []
    for round in 0..<2 {
      for number in 0..<12 {
        let count = number < 3 ? number * 2 + 1 : Int(noise.next() % 3000) + 1
        let packet = Packet(
          track: 0, pts: Int64(number), dts: Int64(number), duration: 1, flags: .key,
          payload: .bytes(MediaBuffer(noise.bytes(count))))
        try feed(decoder, packet, &held)
      }
      if round == 0 { decoder.flush() }
    }
    try drain(decoder, &held)
    decoder.flush()
    // The decoder must be usable again. Any result is accepted except the end of the stream.
    try feed(decoder, nil, &held)
    try drain(decoder, &held)
    return "\(track.kind): \(held.count) frames"
  }

  private func roundTrip(_ encoding: EncoderChecks.Encoding, _ input: TrackDescription)
    throws(Finding) -> String
  {
    var held: [Frame] = []
    do {
      let decoder: DecoderInstance
      do throws(MediaError) {
        decoder = try DecoderInstance(
          factory, DecoderSettings(track: encoding.track), reason: "")
      } catch { throw Finding("cannot be opened: \(error)") }
      for packet in encoding.packets {
        do throws(MediaError) { try strictlyFeed(decoder, packet, &held) } catch {
          throw Finding("a packet is refused: \(error)")
        }
      }
      try feed(decoder, nil, &held)
      try drain(decoder, &held)
    }
    // The decoder is closed here; the frames' memory must still be valid.
    let sum = held.reduce(0) { $0 &+ touch($1) }
    guard !held.isEmpty else { throw Finding("no frames were returned") }
    if input.kind == .video {
      guard held.count == 8 else { throw Finding("\(held.count) frames; 8 were expected") }
      guard held.allSatisfy({ $0.width == input.width && $0.height == input.height }) else {
        throw Finding("the frames have another size than the encoded ones")
      }
      let times = held.compactMap(\.pts)
      guard times.count == 8, times == times.sorted() else {
        throw Finding("the presentation times are \(times)")
      }
    }
    return "\(held.count) frames, readable after close (\(sum & 0xFFFF))"
  }

  /// Reads the first and the last byte of every plane, and returns their sum.
  private func touch(_ frame: Frame) -> Int {
    var sum = 0
    for (index, plane) in frame.planes.enumerated() {
      var count = frame.sampleCount * frame.sampleFormat.bytesPerSample
      var last = plane.base
      if frame.kind == .video, let layout = frame.pixelFormat.layout {
        guard index < layout.planeCount else { continue }
        count = layout.rowBytes(ofPlane: index, for: frame.width)
        last += (layout.height(ofPlane: index, for: frame.height) - 1) * plane.stride
      } else if !frame.sampleFormat.isPlanar {
        count *= frame.channelLayout.channelCount
      }
      guard count > 0 else { continue }
      sum &+= Int(plane.base.load(as: UInt8.self))
      sum &+= Int(last.load(fromByteOffset: count - 1, as: UInt8.self))
    }
    return sum
  }

  private func strictlyFeed(_ decoder: DecoderInstance, _ packet: Packet?, _ held: inout [Frame])
    throws(MediaError)
  {
    var attempts = 0
    while case .full = try decoder.send(packet) {
      attempts += 1
      guard attempts < 1000 else {
        throw MediaError(.internal, "the decoder accepts no packet after its frames were received")
      }
      try takeAll(decoder, &held)
    }
    try takeAll(decoder, &held)
  }

  private func takeAll(_ decoder: DecoderInstance, _ held: inout [Frame]) throws(MediaError) {
    while case .value(let frame) = try decoder.receive() {
      held.append(frame)
      guard held.count < 100_000 else {
        throw MediaError(.internal, "the decoder returned 100000 frames and no end")
      }
    }
  }

  /// Sends a packet.
  ///
  /// Errors are accepted if they have a message.
  private func feed(_ decoder: DecoderInstance, _ packet: Packet?, _ held: inout [Frame])
    throws(Finding)
  {
    do throws(MediaError) { try strictlyFeed(decoder, packet, &held) } catch {
      if error.code == .internal { throw Finding(error.message) }
      _ = try message(of: error)
    }
  }

  private func drain(_ decoder: DecoderInstance, _ held: inout [Frame]) throws(Finding) {
    var errors = 0
    do throws(MediaError) { _ = try decoder.send(nil) } catch { _ = try message(of: error) }
    while held.count < 100_000, errors < 1000 {
      do throws(MediaError) {
        switch try decoder.receive() {
        case .value(let frame): held.append(frame)
        case .end: return
        case .needsInput: throw MediaError(.internal, "the decoder asks for input after draining")
        }
      } catch {
        if error.code == .internal { throw Finding(error.message) }
        _ = try message(of: error)
        errors += 1
      }
    }
    throw Finding("the decoder does not end after draining")
  }
}
