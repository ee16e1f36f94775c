package import RespoolMedia

extension Frame {
  /// Number of audio samples of all channels whose magnitude is above full scale, and the greatest magnitude.
  ///
  /// 0 and 0 for formats that are not floating point.
  package var overload: (count: Int, peak: Double) {
    guard kind == .audio else { return (0, 0) }
    switch sampleFormat.interleaved {
    case .flt: return overload(of: Float.self)
    case .dbl: return overload(of: Double.self)
    default: return (0, 0)
    }
  }

  private func overload<Value: BinaryFloatingPoint>(of _: Value.Type) -> (count: Int, peak: Double)
  {
    let channels = channelLayout.channelCount
    let (planeCount, valueCount) =
      sampleFormat.isPlanar ? (channels, sampleCount) : (1, sampleCount * channels)
    var (count, peak) = (0, Value.zero)
    for plane in planes.prefix(planeCount) {
      let values = UnsafeBufferPointer(
        start: plane.base.assumingMemoryBound(to: Value.self), count: valueCount)
      for value in values where value.magnitude > 1 {
        count += 1
        peak = max(peak, value.magnitude)
      }
    }
    return (count, Double(peak))
  }
}
