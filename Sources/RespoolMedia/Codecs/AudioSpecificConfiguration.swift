/// AudioSpecificConfig of MPEG-4 audio (ISO/IEC 14496-3 1.6.2.1), as far as containers need it.
public struct AudioSpecificConfiguration: Hashable, Sendable {
  /// Object type of the core: 2 AAC LC, 1 main, 4 LTP, 42 USAC ...; never 5 or 29.
  public var objectType: UInt8
  /// Sample rate of the core.
  public var sampleRate: Int
  /// Channel configuration.
  ///
  /// 0: the stream stores it, in a program config element.
  public var channelConfiguration: UInt8
  /// Spectral band replication.
  ///
  /// `nil` if the configuration does not signal it; it may then be implicit.
  public var hasSpectralBandReplication: Bool?
  /// Parametric stereo.
  ///
  /// `nil` if the configuration does not signal it.
  public var hasParametricStereo: Bool?
  /// Sample rate of the decoded audio if replication is signaled.
  public var extensionSampleRate: Int?
  /// `true` if replication or parametric stereo is signaled before the core's own configuration.
  public var isHierarchical = false
  /// `true` if frames have 960 audio samples instead of 1024 (or 480 instead of 512).
  public var hasShortFrames = false

  static let sampleRates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]
  /// Kinds of audio that have a GASpecificConfig (table 1.15).
  private static let generalAudio: Set<UInt8> = [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]

  public init(objectType: UInt8 = 2, sampleRate: Int, channelConfiguration: UInt8) {
    self.objectType = objectType
    self.sampleRate = sampleRate
    self.channelConfiguration = channelConfiguration
  }

  /// Returns the audio object type at the start of a configuration; `nil` if that is cut off.
  public static func objectType(_ bytes: some Collection<UInt8>) -> UInt8? {
    var reader = BitReader(bytes)
    return try? objectType(&reader)
  }

  /// Parses the configuration.
  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = BitReader(bytes)
    objectType = try Self.objectType(&reader)
    sampleRate = try Self.sampleRate(&reader)
    channelConfiguration = UInt8(truncatingIfNeeded: try reader.bits(4))
    if objectType == 5 || objectType == 29 {
      // Explicit hierarchical signalling, 1.6.6.1.
      isHierarchical = true
      hasSpectralBandReplication = true
      hasParametricStereo = objectType == 29 ? true : nil
      extensionSampleRate = try Self.sampleRate(&reader)
      objectType = try Self.objectType(&reader)
      if objectType == 22 { try reader.skip(4) }
    }
    guard Self.generalAudio.contains(objectType) else { return }
    hasShortFrames = try reader.bit()
    if try reader.bit() { try reader.skip(14) }
    _ = try reader.bit()
    // A program config element has its own length, and nothing after it is needed here.
    guard channelConfiguration != 0, hasSpectralBandReplication == nil else {
      return
    }
    // Backward compatible signaling follows the core's configuration, whose length depends on its object type:
    // sync extension 0x2B7, then a flag for replication.
    while reader.remaining >= 16 {
      var probe = reader
      guard try probe.bits(11) == 0x2B7 else {
        try reader.skip(1)
        continue
      }
      guard try Self.objectType(&probe) == 5 else { return }
      let replicates = try probe.bit()
      hasSpectralBandReplication = replicates
      guard replicates else { return }
      extensionSampleRate = try Self.sampleRate(&probe)
      if probe.remaining >= 12, try probe.bits(11) == 0x548 {
        hasParametricStereo = try probe.bit()
      }
      return
    }
  }

  private static func objectType(_ reader: inout BitReader) throws(MediaError) -> UInt8 {
    let type = try reader.bits(5)
    return UInt8(truncatingIfNeeded: type == 31 ? 32 + (try reader.bits(6)) : type)
  }

  private static func sampleRate(_ reader: inout BitReader) throws(MediaError) -> Int {
    let index = Int(try reader.bits(4))
    if index == 15 { return Int(try reader.bits(24)) }
    guard index < sampleRates.count else {
      throw MediaError(.malformed, "sample rate index \(index) is reserved")
    }
    return sampleRates[index]
  }

  /// The configuration without extensions: two bytes, or five where the rate is not in the table.
  public var bytes: [UInt8] {
    let index = Self.sampleRates.firstIndex(of: sampleRate)
    var value = UInt64(objectType < 31 ? objectType : 2)
    var bits = 5
    func append(_ number: Int, _ count: Int) {
      value = value << UInt64(count) | UInt64(truncatingIfNeeded: number) & (1 << UInt64(count) - 1)
      bits += count
    }
    append(index ?? 15, 4)
    if index == nil { append(sampleRate, 24) }
    append(Int(channelConfiguration), 4)
    append(hasShortFrames ? 4 : 0, 3)
    let count = (bits + 7) / 8
    value <<= UInt64(count * 8 - bits)
    return (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }

  /// Sample rate of the decoded audio.
  public var outputSampleRate: Int { extensionSampleRate ?? sampleRate }

  /// Number of channels of the core.
  ///
  /// `nil` if only the stream stores it (table 1.19).
  public var channelCount: Int? {
    let counts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]
    let index = Int(channelConfiguration)
    return index < counts.count && counts[index] > 0 ? counts[index] : nil
  }
}
