import RespoolPlugin

/// A movie that is being written, with or without fragments.
protocol MovieOutput: AnyObject {
  func timeBase(ofTrack track: Int) -> Rational
  func write(_ packet: Packet) throws(MediaError)
  func finish(_ media: MediaDescription) throws(MediaError)
}

extension Flavor {
  func output(_ media: MediaDescription, sink: ByteSink, options: [MetadataEntry])
    throws(MediaError) -> any MovieOutput
  {
    let interval = options.last { $0.name == "fragment-interval" }.flatMap { Double($0.value) } ?? 0
    if interval > 0 {
      return try FragmentedMovieWriter(
        media, flavor: self, interval: interval, sink: sink, options: options)
    }
    return try MovieWriter(media, flavor: self, sink: sink, options: options)
  }
}
