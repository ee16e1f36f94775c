import RespoolPlugin

/// The form of a codec in an Ogg stream: its headers, and the durations of its packets.
protocol OggMapping {
  /// Unit of granule positions, in seconds.
  var timeBase: Rational { get }
  /// Granule position at presentation time 0.
  var preSkip: Int64 { get }

  /// `true` if the first page with audio ends after the first packet with audio.
  var hasShortFirstPage: Bool { get }

  /// Takes the time of the first packet, before the headers are made.
  mutating func begin(at firstTime: Int64)

  /// Returns the header packets, of which the first gets a page of its own.
  func headers(_ comments: VorbisComments) throws(MediaError) -> [[UInt8]]

  /// Returns the number of audio samples that a packet adds.
  ///
  /// Throws `malformed` if the bytes are not a packet of the codec.
  mutating func duration(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> Int64

  /// Returns a packet of silence and its duration, of at most `duration`.
  ///
  /// `nil` if the codec has no packet that short.
  func silence(_ duration: Int64) -> (bytes: [UInt8], duration: Int64)?

  /// Returns the first header packet with the values of a finished track, of the same size as before.
  ///
  /// `nil` if it stays as it is.
  func completedHeader(_ track: TrackDescription, sampleCount: Int64) -> [UInt8]?
}

extension OggMapping {
  var preSkip: Int64 { 0 }

  var hasShortFirstPage: Bool { false }

  mutating func begin(at firstTime: Int64) {}

  func silence(_ duration: Int64) -> (bytes: [UInt8], duration: Int64)? { nil }

  func completedHeader(_ track: TrackDescription, sampleCount: Int64) -> [UInt8]? { nil }
}
