/// The result of sending a packet or frame to a codec.
public enum Feeding: Sendable {
  /// The codec took it.
  case accepted
  /// The codec did not take it: receive first, then send it again.
  case full
}

/// The result of receiving from a codec.
public enum Output<Value: Sendable>: Sendable {
  case value(Value)
  /// No output yet: send more.
  case needsInput
  /// Drained: there is no more output.
  case end
}

/// Settings with which a decoder is opened.
public struct DecoderSettings: Sendable {
  public var track: TrackDescription
  /// Number of threads that the codec may use, at least 1.
  public var threads: Int
  /// Options, checked against the decoder's schema.
  public var options: [PluginOption]

  public init(track: TrackDescription, threads: Int = 1, options: [PluginOption] = []) {
    self.track = track
    self.threads = threads
    self.options = options
  }

  /// The last value given for an option; `nil` if it is not given.
  public subscript(option name: String) -> String? {
    options.last { $0.name == name }?.value
  }
}

/// Settings with which an encoder is opened.
public struct EncoderSettings: Sendable {
  /// Pass over the frames.
  public enum Pass: Hashable, Sendable {
    case only
    /// The first of two: the packets are statistics, and their times mean nothing.
    case first
    /// The second of two, with the bytes of all packets of the first.
    case last(statistics: [UInt8])
  }

  /// Description of the input: size, formats, color, rates and time base, and the codec to encode to.
  public var track: TrackDescription
  /// Number of threads that the codec may use, at least 1.
  public var threads: Int
  /// Bit rate in bits per second.
  ///
  /// `nil`: not requested.
  public var bitRate: Int64?
  /// Quality on the encoder's own scale (``RateControl/quality``).
  ///
  /// `nil`: not requested.
  public var quality: Double?
  /// Video: maximum number of frames from one key frame to the next.
  ///
  /// `nil`: the encoder decides.
  public var keyFrameInterval: Int?
  /// Services of the host for the job that the encoder works for.
  public var job = PluginJob.none
  /// `true` if the input is live: the encoder holds back as few frames as possible, unless options state otherwise.
  ///
  /// Only for encoders with the flag `lowDelay`.
  public var isLowDelay = false
  /// Pass; `first` and `last` only for encoders with the flag `twoPasses`.
  public var pass = Pass.only
  /// Options, checked against the encoder's schema.
  public var options: [PluginOption]

  public init(
    track: TrackDescription, threads: Int = 1, bitRate: Int64? = nil, quality: Double? = nil,
    options: [PluginOption] = []
  ) {
    self.track = track
    self.threads = threads
    self.bitRate = bitRate
    self.quality = quality
    self.options = options
  }

  /// The last value given for an option; `nil` if it is not given.
  public subscript(option name: String) -> String? {
    options.last { $0.name == name }?.value
  }
}
