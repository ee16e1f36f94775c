import RespoolHost
import RespoolMedia

/// Checks that an audio encoder takes the channels and the frame sizes that it declares.
struct AudioFormatChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): key flags") { () throws(Finding) in
      let encoding = try trial.encoding.get()
      try KeyFlagCheck(track: encoding.track, packets: encoding.packets).run()
      return encoding.packets.count.counting("packet")
    }
    for layout in layouts {
      report.check("\(trial.codec): \(layout)") { () throws(Finding) in
        try check(changed { $0.track.channelLayout = layout })
      }
    }
    report.check("\(trial.codec): short last frame") { () throws(Finding) in
      try Finding.require(FrameCountChecks(trial: trial).audio)
      var lengths: [String] = []
      for count in [1, 2, 5] {
        lengths.append(try checkLength(changed { $0.count = count }))
      }
      // The host may have a single audio sample left.
      let size = try trial.encoding.get().track.frameSize
      lengths.append(
        try checkLength(
          changed {
            $0.count = 3
            $0.blocks = [size, size, 1].map { max(1, $0) }
          }))
      guard try trial.decoded.get() != nil else { throw trial.withoutDecoder }
      return lengths.joined(separator: ", ") + " audio samples"
    }
    guard trial.factory.description.flags.contains(.variableFrameSize) else { return }
    report.check("\(trial.codec): frames of any size") { () throws(Finding) in
      let input = changed { $0.blocks = [1000, 1, 313, 4096, 77] }
      do throws(Finding) { _ = try checkLength(input) } catch {
        throw Finding("RSP_FACTORY_VARIABLE_FRAME_SIZE is set, but: \(error.words)")
      }
      return try check(input)
    }
  }

  private var layouts: [ChannelLayout] {
    let about = trial.factory.description
    if !about.channelLayouts.isEmpty { return Array(about.channelLayouts.prefix(8)) }
    let counts = about.channelCounts ?? 1...2
    return [1, 2, 6, 8].filter(counts.contains).map(ChannelLayout.standard)
  }

  private func changed(_ change: (inout EncoderInput) -> Void) -> EncoderInput {
    var input = trial.input
    input.count = 20
    change(&input)
    return input
  }

  private func check(_ input: EncoderInput) throws(Finding) -> String {
    let other = EncoderTrial(factory: trial.factory, finder: trial.finder, input: input)
    do throws(MediaError) {
      try PluginCall.open(trial.factory, EncoderSettings(track: input.track))
    } catch {
      // One of several codecs may accept fewer channels.
      guard trial.factory.description.codecs.count > 1 else {
        throw Finding("the encoder cannot be opened: \(error)")
      }
      return try message(of: error)
    }
    return try other.content()
  }

  private func checkLength(_ input: EncoderInput) throws(Finding) -> String {
    let other = EncoderTrial(factory: trial.factory, finder: trial.finder, input: input)
    let encoding = try other.encoding.get()
    guard let (frames, _) = try other.decoded.get() else { return "\(encoding.sampleCount)" }
    let count = try AudioComparison(encoding).samples(frames).count
    guard count == Int(encoding.sampleCount) else {
      throw Finding(
        "\(encoding.sampleCount.counting("audio sample", "was", "were")) sent, \(count) decoded")
    }
    return "\(count)"
  }
}
