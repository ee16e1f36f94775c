import RespoolHost
import RespoolMedia

/// Checks of a decoder: it survives random bytes, and decodes what encoders make and what files contain.
struct DecoderChecks {
  let factory: PluginFactory
  let finder: CodecFinder
  let samples: [String]

  func run(_ report: Report) {
    for codec in factory.description.codecs {
      report.check("\(codec): random bytes, flush and drain") { () throws(Finding) in
        var words: [String] = []
        for track in tracks(codec) { words.append(try DecoderNoise(factory, track).run()) }
        return words.joined(separator: "; ")
      }
      guard let encoder = finder.encoder(codec) else { continue }
      let trial = DecoderTrial(
        factory: factory, name: codec,
        source: { () throws(Finding) in
          let encoding = try Encoding(encoder, try usableInput(encoder, codec))
          try encoding.checkUnchanged()
          return DecoderTrial.Source(
            track: encoding.track, packets: encoding.packets, encoding: encoding)
        })
      DecoderOutputChecks(trial: trial).run(report)
      DecoderLifetimeChecks(trial: trial).run(report)
    }
    report.check("unknown codec") { () throws(Finding) in try refusesUnknown() }
    for sample in samples { check(sample: sample, report) }
  }

  private func tracks(_ codec: String) -> [TrackDescription] {
    [
      EncoderInput.video(codec, .yuv420p).track,
      EncoderInput.audio(codec, .s16).track,
    ]
  }

  /// Returns the first input with which the encoder opens.
  private func usableInput(_ encoder: PluginFactory, _ codec: String) throws(Finding)
    -> EncoderInput
  {
    for usual in EncoderInput.all(of: encoder.description, codec) {
      var input = usual.accepted(by: encoder)
      input.count = min(input.count, 40)
      if (try? PluginCall.open(encoder, EncoderSettings(track: input.track))) != nil {
        return input
      }
    }
    throw Finding("the encoder cannot be opened")
  }

  private func refusesUnknown() throws(Finding) -> String {
    for track in tracks("no_such_codec") {
      do throws(MediaError) {
        try PluginCall.run("open") { () throws(MediaError) in
          guard try DecoderInstance.supports(factory, track) else { return }
          _ = try DecoderInstance(factory, DecoderSettings(track: track), reason: "")
          throw MediaError(.cancelled, "opened")
        }
      } catch {
        guard error.code != .cancelled else {
          throw Finding("opened for the codec no_such_codec; an error was expected")
        }
        _ = try message(of: error)
      }
    }
    return "refused"
  }

  /// Decodes the tracks of a file whose codecs the decoder lists.
  private func check(sample path: String, _ report: Report) {
    guard let source = try? FileSource(path: path), let demuxer = try? finder.open(source) else {
      report.sample(path, refusal: "no plugin recognizes the format of the file")
      return
    }
    let tracks = demuxer.media.tracks.indices.filter {
      (try? DecoderInstance.supports(factory, demuxer.media.tracks[$0])) == true
    }
    guard !tracks.isEmpty else {
      report.sample(path, refusal: "no track of the file has a codec that the plugin decodes")
      return
    }
    report.sample(path, refusal: nil)
    for index in tracks {
      let trial = DecoderTrial(
        factory: factory, name: "\(source.name), \(TrackNumber(index: index))",
        source: { () throws(Finding) in
          try DecoderTrial.Source(file: source, track: index, demuxer: demuxer.factory)
        })
      DecoderOutputChecks(trial: trial).run(report)
    }
  }
}

/// A decoder that gets random bytes.
struct DecoderNoise {
  private let factory: PluginFactory
  private let track: TrackDescription

  init(_ factory: PluginFactory, _ track: TrackDescription) {
    self.factory = factory
    self.track = track
  }

  /// Feeds random packets, flushes and drains; any errors with a message are accepted.
  func run() throws(Finding) -> String {
    let run: DecoderRun
    do throws(MediaError) {
      // The refusal of a track without its configuration record is correct.
      try PluginCall.open(factory, DecoderSettings(track: track))
    } catch { return try message(of: error) }
    run = try DecoderRun(factory, track, limit: 100_000, allowsErrors: true)
    var noise = Noise(seed: 7)
    for round in 0..<2 {
      for number in 0..<12 {
        let count = number < 3 ? number * 2 + 1 : Int(noise.next() % 3000) + 1
        let packet = Packet(
          track: 0, pts: Int64(number), dts: Int64(number), duration: 1, flags: .key,
          payload: .bytes(MediaBuffer(noise.bytes(count))))
        try run.send(packet, number)
      }
      if round == 0 { run.flush() }
    }
    try run.drain()
    run.flush()
    // The decoder must be usable again.
    try run.drain()
    return "\(track.kind): \(run.frames.count.counting("frame"))"
  }
}
