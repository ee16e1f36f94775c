public import RespoolMedia

/// Binary form of BBC audiowaveform (`doc/DataFormat.md` of that project), which peaks.js reads.
extension Waveform {
  /// Bits per value in the written data.
  public enum SampleDepth: Int, Sendable, CaseIterable {
    case bits8 = 8
    case bits16 = 16

    /// Returns a value as an integer: full scale is 32,768 or 128, larger values are clipped.
    ///
    /// 16 bits are rounded to the nearest, halves away from zero. 8 bits are the 16-bit value divided by 256
    /// and truncated towards zero, as in audiowaveform.
    func level(_ value: Float) -> Int {
      guard value.isFinite else { return 0 }
      let scaled = (Double(value) * 32768).rounded()
      let word = Int(max(-32768, min(32767, scaled)))
      return self == .bits16 ? word : word / 256
    }
  }

  /// Audio samples per bin, rounded to the nearest integer.
  ///
  /// Readers compute the time of a bin from it. Bins of a whole number of audio samples keep that time exact.
  public var samplesPerPixel: Int { max(1, Int(exactly: samplesPerBin.rounded()) ?? .max) }

  /// Returns the bytes of a `.dat` file: version 1 for one channel, 2 for more; minima and maxima, no RMS.
  ///
  /// Throws `limitExceeded` if a number does not fit into the header.
  public func dat(_ depth: SampleDepth = .bits8) throws(MediaError) -> [UInt8] {
    guard let rate = Int32(exactly: sampleRate), let width = Int32(exactly: samplesPerPixel),
      let length = UInt32(exactly: binCount), let count = Int32(exactly: channels.count)
    else {
      throw MediaError(
        .limitExceeded,
        "a .dat header cannot store \(samplesPerPixel.counting("sample")) per bin or another "
          + "number "
          + "above \(Int32.max)")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24 + binCount * channels.count * 2 * depth.rawValue / 8)
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    put(Int32(count == 1 ? 1 : 2))
    put(UInt32(depth == .bits8 ? 1 : 0))
    put(rate)
    put(width)
    put(length)
    if count != 1 { put(count) }
    for bin in 0..<binCount {
      for channel in channels {
        let least = depth.level(channel.minima[bin])
        let most = depth.level(channel.maxima[bin])
        switch depth {
        case .bits8:
          bytes.append(UInt8(truncatingIfNeeded: least))
          bytes.append(UInt8(truncatingIfNeeded: most))
        case .bits16:
          put(Int16(truncatingIfNeeded: least))
          put(Int16(truncatingIfNeeded: most))
        }
      }
    }
    return bytes
  }
}
