/// Chunks of a RIFF file, whole, one after the other (Multimedia Programming Interface and Data Specifications 1.0,
/// chapter 2), with the form of the audio that they belong to.
///
/// The record has the sample rate in 4 bytes and the number of channels in 2, little-endian, 2 bytes of 0, and the
/// chunks.
public struct RIFFChunks: Equatable, Sendable {
  /// A chunk without its padding.
  public struct Chunk: Equatable, Sendable {
    public var type: FourCC
    public var body: ArraySlice<UInt8>

    public init(_ type: FourCC, _ body: ArraySlice<UInt8>) {
      self.type = type
      self.body = body
    }
  }

  public var sampleRate: UInt32
  public var channelCount: UInt16
  public var chunks: [Chunk]

  public init(sampleRate: Int, channelCount: Int, chunks: [Chunk]) {
    self.sampleRate = UInt32(clamping: sampleRate)
    self.channelCount = UInt16(clamping: channelCount)
    self.chunks = chunks
  }

  /// Reads the bytes of a record, as far as its chunks are whole; `nil` if there is no head.
  public init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let rate = try? reader.little(UInt32.self), let count = try? reader.little(UInt16.self),
      (try? reader.skip(2)) != nil
    else { return nil }
    (sampleRate, channelCount, chunks) = (rate, count, [])
    while let type = try? reader.big(UInt32.self), let size = try? reader.little(UInt32.self),
      let body = try? reader.take(Int(size))
    {
      chunks.append(Chunk(FourCC(rawValue: type), body))
      if size % 2 == 1, (try? reader.skip(1)) == nil { break }
    }
  }

  /// The bytes of a record.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number) { bytes += $0 }
    }
    append(sampleRate.littleEndian)
    append(channelCount.littleEndian)
    append(UInt16(0))
    for chunk in chunks {
      append(chunk.type.rawValue.bigEndian)
      append(UInt32(clamping: chunk.body.count).littleEndian)
      bytes += chunk.body
      if !chunk.body.count.isMultiple(of: 2) { bytes.append(0) }
    }
    return bytes
  }
}
