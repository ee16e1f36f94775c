/// The STREAMINFO block of FLAC (RFC 9639 8.2), 34 bytes.
public struct FLACStreamInfo: Hashable, Sendable {
  public var minimumBlockSize: UInt16
  public var maximumBlockSize: UInt16
  /// 24 bits; 0 not known.
  public var minimumFrameSize: UInt32
  /// 24 bits; 0 not known.
  public var maximumFrameSize: UInt32
  /// 20 bits.
  public var sampleRate: UInt32
  /// 1 to 8.
  public var channelCount: UInt8
  /// 4 to 32.
  public var bitsPerSample: UInt8
  /// 36 bits; 0 not known.
  public var sampleCount: UInt64
  /// MD5 of the decoded audio samples.
  ///
  /// All zeros if unknown.
  public var md5: [UInt8]

  public static let byteCount = 34

  /// Creates the block of a stream whose frame sizes, length and MD5 are unknown.
  public init(blockSize: UInt16, sampleRate: UInt32, channelCount: UInt8, bitsPerSample: UInt8) {
    (minimumBlockSize, maximumBlockSize) = (blockSize, blockSize)
    (minimumFrameSize, maximumFrameSize) = (0, 0)
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.bitsPerSample = bitsPerSample
    sampleCount = 0
    md5 = [UInt8](repeating: 0, count: 16)
  }

  /// Parses the block without its header; also from a `fLaC` stream, from whose first block it comes.
  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    if bytes.prefix(4).elementsEqual(Array("fLaC".utf8)) {
      try reader.skip(4)
      let head = try reader.big(UInt32.self)
      guard head & 0x7FFF_FFFF == UInt32(Self.byteCount) else {
        throw MediaError(.malformed, "the first FLAC block is not a STREAMINFO of 34 bytes")
      }
    }
    minimumBlockSize = try reader.big()
    maximumBlockSize = try reader.big()
    minimumFrameSize = UInt32(try reader.big(bytes: 3))
    maximumFrameSize = UInt32(try reader.big(bytes: 3))
    let packed = try reader.big(UInt64.self)
    sampleRate = UInt32(packed >> 44)
    channelCount = UInt8(packed >> 41 & 7) + 1
    bitsPerSample = UInt8(packed >> 36 & 0x1F) + 1
    sampleCount = packed & 0xF_FFFF_FFFF
    md5 = Array(try reader.take(16))
  }

  /// The block without its header.
  public var bytes: [UInt8] {
    let packed =
      UInt64(sampleRate) << 44 | UInt64((channelCount &- 1) & 7) << 41
      | UInt64((bitsPerSample &- 1) & 0x1F) << 36 | sampleCount & 0xF_FFFF_FFFF
    var result: [UInt8] = []
    func append(_ value: UInt64, _ count: Int) {
      for index in (0..<count).reversed() {
        result.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8)))
      }
    }
    append(UInt64(minimumBlockSize), 2)
    append(UInt64(maximumBlockSize), 2)
    append(UInt64(minimumFrameSize), 3)
    append(UInt64(maximumFrameSize), 3)
    append(packed, 8)
    return result + (md5 + [UInt8](repeating: 0, count: 16)).prefix(16)
  }
}

/// The blocks that containers store for a FLAC track: STREAMINFO, and a comment with an unusual channel layout.
///
/// FFmpeg and flac store the mask of WAVEFORMATEXTENSIBLE in the same comment (RFC 9639 8.6.2).
extension FLACStreamInfo {
  private static let maskField = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"
  private static let lastBlock: UInt8 = 0x80
  private static let commentBlock: UInt8 = 4

  /// Returns the blocks, each with its header of four bytes.
  public func blocks(_ layout: ChannelLayout) -> [UInt8] {
    let head: [UInt8] = [0, 0, 0, UInt8(Self.byteCount)]
    let fields = Self.layoutFields(layout)
    guard !fields.isEmpty else { return [Self.lastBlock] + head[1...] + bytes }
    let comment = VorbisComments(vendor: "", fields: fields).bytes
    let size = UInt32(comment.count).bigEndianBytes.dropFirst()
    return head + bytes + [Self.lastBlock | Self.commentBlock] + size + comment
  }

  /// Returns the comment that states an unusual layout; empty for the usual one of FLAC and for an unknown one.
  package static func layoutFields(_ layout: ChannelLayout) -> [MetadataEntry] {
    guard layout.mask != 0, layout != .flac(layout.channelCount) else { return [] }
    return [MetadataEntry(maskField, "0x" + String(layout.mask, radix: 16))]
  }

  /// Returns the layout that a comment among `blocks` states, else the usual one of FLAC.
  public static func layout(_ channelCount: Int, inBlocks blocks: some Collection<UInt8>)
    -> ChannelLayout
  {
    var reader = ByteReader(Array(blocks))
    while let type = try? reader.u8(), let size = try? reader.big(bytes: 3),
      let block = try? reader.take(Int(size))
    {
      if type & ~lastBlock == commentBlock, let comments = try? VorbisComments(block),
        let value = comments.fields.first(where: { $0.name.uppercased() == maskField })?.value,
        value.lowercased().hasPrefix("0x"), let mask = UInt64(value.dropFirst(2), radix: 16),
        mask.nonzeroBitCount == channelCount
      {
        return ChannelLayout(mask: mask)
      }
      if type & lastBlock != 0 { break }
    }
    return .flac(channelCount)
  }
}
