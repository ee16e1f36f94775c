extension Waveform {
  /// Returns the JSON form of BBC audiowaveform, version 2, in one line.
  ///
  /// `data` has the minimum and maximum of each channel, bin by bin. Two members are added that other readers
  /// ignore. `rms` has a value for each channel, bin by bin, in the same units. `samples` is the number of
  /// audio samples of each channel in all bins.
  public func json(_ depth: SampleDepth = .bits8) -> String {
    var text = Array("{\"version\":2,\"channels\":\(channels.count),\"sample_rate\":".utf8)
    text += "\(sampleRate),\"samples_per_pixel\":\(samplesPerPixel),".utf8
    text += "\"bits\":\(depth.rawValue),\"length\":\(binCount),\"samples\":\(sampleCount)".utf8
    text.reserveCapacity(text.count + binCount * channels.count * 15 + 32)
    func put(_ level: Int) {
      // Digit by digit: there may be millions of values, and a string for each would take seconds.
      if level < 0 { text.append(UInt8(ascii: "-")) }
      let size = level.magnitude
      var unit: UInt = size < 10 ? 1 : size < 100 ? 10 : size < 1000 ? 100 : 1000
      if size >= 10000 { unit = 10000 }
      while unit > 0 {
        text.append(UInt8(ascii: "0") + UInt8(size / unit % 10))
        unit /= 10
      }
      text.append(UInt8(ascii: ","))
    }
    func putList(_ name: String, _ values: (Channel, Int) -> Void) {
      text += ",\"\(name)\":[".utf8
      for bin in 0..<binCount {
        for channel in channels { values(channel, bin) }
      }
      if text.last == UInt8(ascii: ",") { text.removeLast() }
      text.append(UInt8(ascii: "]"))
    }
    putList("data") { channel, bin in
      put(depth.level(channel.minima[bin]))
      put(depth.level(channel.maxima[bin]))
    }
    putList("rms") { channel, bin in put(depth.level(channel.rms[bin])) }
    text += "}\n".utf8
    return String(decoding: text, as: UTF8.self)
  }
}
