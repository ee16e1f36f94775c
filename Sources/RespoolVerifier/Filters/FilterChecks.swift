import RespoolHost
import RespoolMedia

/// Checks of a filter: it opens for every listed format, and the frames that come out are valid and in order.
struct FilterChecks {
  let factory: PluginFactory

  func run(_ report: Report) {
    for input in inputs {
      let track = input.track
      let format = track.kind == .video ? track.pixelFormat.name : track.sampleFormat.name
      report.check("from \(format)") { () throws(Finding) in
        let (filter, frames) = try filtered(input)
        try check(frames, of: filter, input)
        return "\(frames.count.counting("frame")), \(filter.results.count.counting("result"))"
      }
    }
    guard var input = inputs.first else { return }
    report.check("closed early") { () throws(Finding) in
      let filter = try opened(input)
      if let lent = input.frame(0, position: 0, frameSize: 0) {
        defer { lent.memory.end() }
        do throws(MediaError) {
          _ = try filter.send(lent.frame)
        } catch { throw Finding("\(error)") }
      }
      return "after one frame"
    }
    input.count = 0
    report.check("without frames") { [input] () throws(Finding) in
      _ = try filtered(input)
      return "drained"
    }
  }

  /// Inputs in each listed format; a filter that lists none accepts any.
  private var inputs: [EncoderInput] {
    let description = factory.description
    if description.filteredMedia == .video {
      let formats = description.pixelFormats.isEmpty ? [.yuv420p] : description.pixelFormats
      return formats.map { EncoderInput.video("", $0) }
    }
    let formats = description.sampleFormats.isEmpty ? [.fltp] : description.sampleFormats
    let rates = description.sampleRates
    let rate = rates.isEmpty || rates.contains(48000) ? 48000 : rates[0]
    return formats.map {
      EncoderInput.audio("", $0, rate: rate, layout: description.channelLayouts.first ?? .stereo)
    }
  }

  private func opened(_ input: EncoderInput) throws(Finding) -> FilterInstance {
    do throws(MediaError) {
      return try FilterInstance(
        factory, FilterSettings(track: input.track, threads: input.threads))
    } catch { throw Finding("cannot be opened: \(error)") }
  }

  private func filtered(_ input: EncoderInput) throws(Finding) -> (FilterInstance, [Frame]) {
    let filter = try opened(input)
    var frames: [Frame] = []
    var position: Int64 = 0
    for number in 0...input.count {
      let isEnd = number == input.count
      let lent = isEnd ? nil : input.frame(number, position: position, frameSize: 0)
      defer { lent?.memory.end() }
      guard isEnd || lent != nil else { throw Finding("no frame of this format can be created") }
      position += Int64(lent?.frame.sampleCount ?? 0)
      do throws(MediaError) {
        try filter.filter(lent?.frame) { (frame) throws(MediaError) in
          guard frames.count < 100_000 else {
            throw MediaError(.internal, "the filter returned 100000 frames for \(number + 1)")
          }
          frames.append(frame)
        }
      } catch { throw Finding(isEnd ? "draining: \(error)" : "frame \(number): \(error)") }
    }
    return (filter, frames)
  }

  private func check(_ frames: [Frame], of filter: FilterInstance, _ sent: EncoderInput)
    throws(Finding)
  {
    let (track, input) = (filter.track, sent.track)
    let sentSamples = (0..<sent.count).reduce(0) { $0 + sent.sampleCount($1, frameSize: 0) }
    var problems: [String] = []
    if frames.isEmpty { problems.append("no frames were returned") }
    let changesTimes = factory.description.flags.contains(.changesTimes)
    let samples = frames.reduce(0) { $0 + $1.sampleCount }
    if !changesTimes, input.kind == .video, frames.count != sent.count {
      problems.append("\(frames.count.counting("frame")) came out for \(sent.count)")
    }
    if !changesTimes, input.kind == .audio, track.sampleRate == input.sampleRate,
      samples != sentSamples
    {
      problems.append("\(samples) audio samples came out for \(sentSamples)")
    }
    var last: Int64?
    for (index, frame) in frames.enumerated() {
      guard let pts = frame.pts else {
        problems.append("frame \(index) has no time")
        continue
      }
      if let last, pts <= last { problems.append("the time goes from \(last) to \(pts)") }
      last = pts
      let isDescribed =
        input.kind == .video
        ? (frame.width, frame.height) == (track.width, track.height)
          && frame.pixelFormat == track.pixelFormat
        : frame.sampleFormat == track.sampleFormat && frame.sampleRate == track.sampleRate
          && frame.channelLayout.channelCount == track.channelLayout.channelCount
      if !isDescribed { problems.append("frame \(index) is not as the track describes it") }
    }
    guard problems.isEmpty else { throw Finding(problems.prefix(6).joined(separator: "; ")) }
  }
}
