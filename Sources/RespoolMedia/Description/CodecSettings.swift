/// What feeding a codec came to.
public enum Feeding: Sendable {
  /// Taken.
  case accepted
  /// Not taken: receive first, then send it again.
  case full
}

/// What a codec gives.
public enum Output<Value: Sendable>: Sendable {
  case value(Value)
  /// Nothing yet: send more.
  case needsInput
  /// Drained: nothing more will come.
  case end
}

/// What a decoder is opened with.
public struct DecoderSettings: Sendable {
  public var track: TrackDescription
  /// How many threads it may use, 1 or more.
  public var threads: Int
  /// Checked against the decoder's schema.
  public var options: [MetadataEntry]

  public init(track: TrackDescription, threads: Int = 1, options: [MetadataEntry] = []) {
    self.track = track
    self.threads = threads
    self.options = options
  }
}

/// What an encoder is opened with.
public struct EncoderSettings: Sendable {
  /// What comes in: the codec to make, size, formats, colour, rates, time base.
  public var track: TrackDescription
  /// How many threads it may use, 1 or more.
  public var threads: Int
  /// Bits a second; nil: not asked for.
  public var bitRate: Int64?
  /// On the codec's own scale (x264: crf, vpx: cq-level); nil: not asked for.
  public var quality: Double?
  /// Checked against the encoder's schema.
  public var options: [MetadataEntry]

  public init(
    track: TrackDescription, threads: Int = 1, bitRate: Int64? = nil, quality: Double? = nil,
    options: [MetadataEntry] = []
  ) {
    self.track = track
    self.threads = threads
    self.bitRate = bitRate
    self.quality = quality
    self.options = options
  }

  /// The value given for an option, or nil.
  public subscript(option name: String) -> String? {
    options.last { $0.name == name }?.value
  }
}
