/// The identification header of Opus: `OpusHead` (RFC 7845 5.1) and the body of `dOps` (Encapsulation of
/// Opus in ISO Base Media File Format 4.3.2), which says the same in the other byte order.
public struct OpusConfiguration: Hashable, Sendable {
  public var channelCount: UInt8
  /// Samples at 48 kHz to drop from the decoder's output.
  public var preSkip: UInt16
  /// Sample rate of the audio before encoding.
  ///
  /// 0 if not stated.
  public var inputSampleRate: UInt32
  /// In dB, Q7.8; decoders apply it.
  public var outputGain: Int16 = 0
  /// 0 mono or stereo, 1 Vorbis order, 2 and 3 ambisonics, 255 no meaning.
  public var mappingFamily: UInt8 = 0
  /// For every family but 0.
  public var mapping: Mapping?

  /// Assignment of coded streams to output channels (RFC 7845 5.1.1).
  public struct Mapping: Hashable, Sendable {
    public var streamCount: UInt8
    public var coupledCount: UInt8
    /// One to a channel; of family 3, the demixing matrix.
    public var table: [UInt8]

    public init(streamCount: UInt8, coupledCount: UInt8, table: [UInt8]) {
      self.streamCount = streamCount
      self.coupledCount = coupledCount
      self.table = table
    }
  }

  static let signature: [UInt8] = Array("OpusHead".utf8)

  public init(
    channelCount: UInt8, preSkip: UInt16, inputSampleRate: UInt32 = 48000,
    mappingFamily: UInt8 = 0, mapping: Mapping? = nil
  ) {
    self.channelCount = channelCount
    self.preSkip = preSkip
    self.inputSampleRate = inputSampleRate
    self.mappingFamily = mappingFamily
    self.mapping = mapping
  }

  /// Parses `OpusHead`.
  public init(head bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    guard try reader.take(8).elementsEqual(Self.signature) else {
      throw MediaError(.malformed, "the Opus header does not start with OpusHead")
    }
    let version = try reader.u8()
    // RFC 7845 5.1: the upper four bits are the major version, which must be 0.
    guard version >> 4 == 0 else {
      throw MediaError(.unsupported, "OpusHead has version \(version); 0 to 15 are known")
    }
    channelCount = try reader.u8()
    preSkip = try reader.little()
    inputSampleRate = try reader.little()
    outputGain = try reader.little()
    try readMapping(&reader)
  }

  /// Parses the body of `dOps`.
  public init(boxBody bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    let version = try reader.u8()
    guard version == 0 else {
      throw MediaError(.unsupported, "dOps has version \(version); it must be 0", path: "dOps")
    }
    channelCount = try reader.u8()
    preSkip = try reader.big()
    inputSampleRate = try reader.big()
    outputGain = try reader.big()
    try readMapping(&reader)
  }

  private mutating func readMapping(_ reader: inout ByteReader) throws(MediaError) {
    guard channelCount > 0 else {
      throw MediaError(.malformed, "the Opus header states no channels")
    }
    mappingFamily = try reader.u8()
    guard mappingFamily != 0 else {
      guard channelCount <= 2 else {
        throw MediaError(
          .malformed,
          "Opus mapping family 0 has \(channelCount.counting("channel")); it must have 1 or 2")
      }
      return
    }
    let streams = try reader.u8()
    let coupled = try reader.u8()
    guard streams > 0, coupled <= streams, Int(streams) + Int(coupled) <= 255 else {
      throw MediaError(
        .malformed, "the Opus header has \(streams) streams, of which \(coupled) are coupled")
    }
    let count =
      mappingFamily == 3
      ? 2 * Int(channelCount) * (Int(streams) + Int(coupled)) : Int(channelCount)
    mapping = Mapping(
      streamCount: streams, coupledCount: coupled, table: Array(try reader.take(count)))
  }

  /// `OpusHead`, version 1.
  public var head: [UInt8] {
    let gain = UInt16(bitPattern: outputGain)
    return Self.signature + [1, channelCount, UInt8(preSkip & 0xFF), UInt8(preSkip >> 8)]
      + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: inputSampleRate >> $0) }
      + [UInt8(gain & 0xFF), UInt8(gain >> 8)] + mappingBytes
  }

  /// The body of `dOps`, version 0.
  public var boxBody: [UInt8] {
    let gain = UInt16(bitPattern: outputGain)
    return [0, channelCount, UInt8(preSkip >> 8), UInt8(preSkip & 0xFF)]
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: inputSampleRate >> $0) }
      + [UInt8(gain >> 8), UInt8(gain & 0xFF)] + mappingBytes
  }

  private var mappingBytes: [UInt8] {
    guard mappingFamily != 0, let mapping else { return [0] }
    return [mappingFamily, mapping.streamCount, mapping.coupledCount] + mapping.table
  }

  /// Streams in each packet: all but the last are self-delimited.
  public var streamCount: Int { Int(mapping?.streamCount ?? 1) }
}
