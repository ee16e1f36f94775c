extension Waveform {
  /// The JSON form of BBC audiowaveform, version 2, in one line.
  ///
  /// `data` has the minimum and maximum of each channel, bin after bin. Two members are added, which
  /// other readers pass over: `rms`, a value for each channel, bin after bin, in the same units, and
  /// `samples`, how many of each channel there are in all bins.
  public func json(_ depth: SampleDepth = .bits8) -> String {
    var text = "{\"version\":2,\"channels\":\(channels.count),\"sample_rate\":\(sampleRate)"
    text += ",\"samples_per_pixel\":\(samplesPerPixel),\"bits\":\(depth.rawValue)"
    text += ",\"length\":\(binCount),\"samples\":\(sampleCount),\"data\":["
    append(to: &text) { channel, bin in
      "\(depth.level(channel.minima[bin])),\(depth.level(channel.maxima[bin]))"
    }
    text += "],\"rms\":["
    append(to: &text) { channel, bin in "\(depth.level(channel.rms[bin]))" }
    return text + "]}\n"
  }

  private func append(to text: inout String, _ value: (Channel, Int) -> String) {
    for bin in 0..<binCount {
      for (number, channel) in channels.enumerated() {
        if bin > 0 || number > 0 { text += "," }
        text += value(channel, bin)
      }
    }
  }
}
