/// Audio samples in memory, which are reduced to the statistics of bins.
protocol ReducibleSamples {
  /// Adds `count` audio samples, starting at index `first`, to one bin of each channel.
  ///
  /// `count` is at least 1, and the memory holds all of these audio samples.
  func accumulate(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>)
}
