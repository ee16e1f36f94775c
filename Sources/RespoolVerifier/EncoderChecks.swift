import Respool
import RespoolMedia

/// Checks of an encoder: it opens with minimal settings for every listed format, and its packets are
/// complete and in order.
struct EncoderChecks {
  let factory: PluginFactory

  /// The output of an encoder for a few frames.
  struct Encoding {
    var track: TrackDescription
    var packets: [Packet]
  }

  func run(_ report: inout Report) {
    for codec in factory.description.codecs {
      let inputs = Self.inputs(of: factory.description, codec)
      // The formats listed are those of all codecs together; one of several codecs may accept fewer.
      let mayRefuse = factory.description.codecs.count > 1
      var encoded = 0
      for track in inputs {
        let format = track.kind == .video ? track.pixelFormat.name : track.sampleFormat.name
        report.check("\(codec) from \(format)") { () throws(Finding) in
          if mayRefuse, let refusal = try refusal(of: track) { return refusal }
          let encoding = try encode(track)
          try check(encoding, input: track)
          encoded += 1
          return "\(encoding.packets.count) packets"
        }
      }
      report.check("\(codec): accepts a format") { () throws(Finding) in
        guard encoded > 0 else { throw Finding("none of the listed formats was encoded") }
        return "\(encoded) of \(inputs.count)"
      }
      guard let track = inputs.first else { continue }
      report.check("\(codec): closed before the end") { () throws(Finding) in
        let encoder = try opened(track)
        if let frame = Self.frame(track, encoder, number: 0) {
          do throws(MediaError) { _ = try encoder.send(frame) } catch { _ = try message(of: error) }
        }
        return "closed after one frame"
      }
    }
  }

  /// Returns the encoder's refusal of this input; `nil` if the encoder opens.
  private func refusal(of track: TrackDescription) throws(Finding) -> String? {
    do throws(MediaError) {
      _ = try EncoderInstance(factory, EncoderSettings(track: track), reason: "")
      return nil
    } catch {
      guard error.code == .unsupported || error.code == .invalidArgument else {
        throw Finding("cannot be opened: \(error)")
      }
      return try message(of: error)
    }
  }

  /// Returns the inputs that a factory lists, one for each format.
  static func inputs(of factory: FactoryDescription, _ codec: String) -> [TrackDescription] {
    if !factory.pixelFormats.isEmpty {
      return factory.pixelFormats.map { SyntheticMedia.videoTrack(codec, $0) }
    }
    let rate = factory.sampleRates.contains(48000) ? 48000 : factory.sampleRates.first ?? 48000
    let counts = factory.channelCounts ?? 1...64
    let layout =
      factory.channelLayouts.contains(.stereo) || factory.channelLayouts.isEmpty
      ? ChannelLayout.standard(min(max(2, counts.lowerBound), counts.upperBound))
      : factory.channelLayouts.first ?? .stereo
    return (factory.sampleFormats.isEmpty ? [.s16] : factory.sampleFormats).map {
      SyntheticMedia.audioTrack(codec, $0, rate: rate, layout: layout)
    }
  }

  private func opened(_ track: TrackDescription) throws(Finding) -> EncoderInstance {
    do throws(MediaError) {
      return try EncoderInstance(factory, EncoderSettings(track: track), reason: "")
    } catch { throw Finding("cannot be opened: \(error)") }
  }

  static func frame(_ track: TrackDescription, _ encoder: EncoderInstance, number: Int) -> Frame? {
    if track.kind == .video { return SyntheticMedia.picture(track.pixelFormat, number: number) }
    let count = encoder.track.frameSize > 0 ? encoder.track.frameSize : 1024
    return SyntheticMedia.tone(track, start: Int64(number * count), count: count)
  }

  /// Encodes eight frames and drains the encoder.
  func encode(_ track: TrackDescription) throws(Finding) -> Encoding {
    let encoder = try opened(track)
    var packets: [Packet] = []
    for number in 0...8 {
      let frame = number < 8 ? Self.frame(track, encoder, number: number) : nil
      if number < 8, frame == nil { throw Finding("no frame of this format can be created") }
      do throws(MediaError) {
        var attempts = 0
        while case .full = try encoder.send(frame) {
          attempts += 1
          guard try !receive(encoder, &packets), attempts < 1000 else {
            throw MediaError(.internal, "the encoder does not accept the frame")
          }
        }
        _ = try receive(encoder, &packets)
      } catch { throw Finding("frame \(number): \(error)") }
    }
    do throws(MediaError) {
      guard try receive(encoder, &packets) else {
        throw MediaError(.internal, "the encoder asks for input instead of ending")
      }
      for _ in 0..<3 {
        guard case .end = try encoder.receive() else {
          throw MediaError(.internal, "the encoder does not report the end again")
        }
      }
    } catch { throw Finding("draining: \(error)") }
    return Encoding(track: encoder.track, packets: packets)
  }

  /// Receives the packets that are ready.
  ///
  /// Returns `true` at the end.
  private func receive(_ encoder: EncoderInstance, _ packets: inout [Packet]) throws(MediaError)
    -> Bool
  {
    while packets.count < 100_000 {
      switch try encoder.receive() {
      case .value(let packet): packets.append(packet)
      case .needsInput: return false
      case .end: return true
      }
    }
    throw MediaError(.internal, "the encoder returned 100000 packets for 8 frames")
  }

  private func check(_ encoding: Encoding, input: TrackDescription) throws(Finding) {
    let track = encoding.track
    guard let first = encoding.packets.first else { throw Finding("no packets were returned") }
    var problems: [String] = []
    if track.codec != input.codec { problems.append("the track's codec is \"\(track.codec)\"") }
    if track.kind != input.kind { problems.append("the track's kind is not the input's") }
    if !track.timeBase.isPositive { problems.append("the time base is \(track.timeBase)") }
    if !first.flags.contains(.key) { problems.append("the first packet is not marked as a key") }
    if input.kind == .video, track.width != input.width || track.height != input.height {
      problems.append("the track has \(track.width)x\(track.height) pixels")
    }
    if input.kind == .audio {
      if track.sampleRate <= 0 { problems.append("the track has no sample rate") }
      if !factory.description.flags.contains(.variableFrameSize), track.frameSize <= 0 {
        problems.append("the encoder needs a fixed frame size, but the track states none")
      }
      let rate = Rational(1, Int32(clamping: track.sampleRate))
      let start = rate.convert(-Int64(track.initialPadding), to: track.timeBase)
      if let pts = first.pts, abs(pts - start) > 1 {
        problems.append("the first packet starts at \(pts); the padding requires \(start)")
      }
    }
    var last: Int64?
    for (index, packet) in encoding.packets.enumerated() {
      if packet.size == 0 { problems.append("packet \(index) has no bytes") }
      guard let dts = packet.dts, let pts = packet.pts else {
        problems.append("packet \(index) has no times")
        continue
      }
      if let last, dts <= last { problems.append("the decode time goes from \(last) to \(dts)") }
      if input.kind == .video, pts < dts {
        problems.append("packet \(index) has a presentation time before its decode time")
      }
      last = dts
    }
    guard problems.isEmpty else { throw Finding(problems.prefix(6).joined(separator: "; ")) }
  }
}
