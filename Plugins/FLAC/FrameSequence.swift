import RespoolPlugin

/// The frames of a file, numbered without gaps, and the STREAMINFO that describes them.
struct FrameSequence {
  struct Output {
    var bytes: [UInt8]
    /// Number of the frame's first audio sample.
    var sample: Int64
    var sampleCount: Int
  }

  /// STREAMINFO of the track.
  let info: FLACStreamInfo
  private let track: TrackDescription
  /// `true` if frames are numbered by audio samples.
  ///
  /// `nil` before the first frame.
  private var hasVariableSize: Bool?
  private var frameCount: Int64 = 0
  private var sampleCount: Int64 = 0
  private var frameSizes: ClosedRange<Int>?
  /// Sizes of all blocks but the last.
  private var blockSizes: ClosedRange<Int>?
  private var lastBlock = 0
  /// `true` if the audio is not all of the source's, so that its MD5 is unknown.
  private var isCut = false

  init(_ track: TrackDescription) throws(MediaError) {
    self.track = track
    info = try FLACStreamInfo(track.extradata)
    guard (1...655_350).contains(info.sampleRate) else {
      throw MediaError(.malformed, "STREAMINFO states a sample rate of \(info.sampleRate) Hz")
    }
  }

  /// Adds a packet and returns the frames to write: one, or none if all of it is hidden.
  mutating func add(_ packet: Packet) throws(MediaError) -> [Output] {
    guard let buffer = packet.buffer else { return [] }
    guard let header = FLACFrameHeader(buffer.readOnly.prefix(FLACFrameHeader.largestSize)) else {
      throw MediaError(
        .malformed, "a packet of \(buffer.count.counting("byte")) is not a frame of FLAC",
        track: packet.track)
    }
    // A file cannot hide audio samples, so hidden ones are not written.
    let count = Int64(header.blockSize)
    let before = max(0, -(packet.pts ?? 0), packet.trimStart)
    let front = packet.flags.contains(.discard) ? count : min(count, before)
    let shown = max(0, count - front - max(0, packet.trimEnd))
    guard shown == count else {
      isCut = true
      guard shown > 0 else { return [] }
      let part = try FrameCut(track).cut(packet, front: Int(front), count: Int(shown))
      guard let header = FLACFrameHeader(part.prefix(FLACFrameHeader.largestSize)) else {
        throw MediaError(.internal, "libFLAC made a frame without a header")
      }
      // Only the last frame may be shorter if frames are numbered by their count.
      if hasVariableSize == nil, front > 0 { hasVariableSize = true }
      return [part.withUnsafeBytes { write($0, header) }]
    }
    return [buffer.withBytes { write($0, header) }]
  }

  private mutating func write(_ frame: UnsafeRawBufferPointer, _ header: FLACFrameHeader) -> Output
  {
    let isVariable = hasVariableSize ?? header.hasVariableSize
    hasVariableSize = isVariable
    let number = isVariable ? sampleCount : frameCount
    let bytes =
      header.hasVariableSize == isVariable && header.number == number
      ? Array(frame) : header.renumbered(frame, number: number, hasVariableSize: isVariable)
    let output = Output(bytes: bytes, sample: sampleCount, sampleCount: header.blockSize)
    frameCount += 1
    sampleCount += Int64(header.blockSize)
    frameSizes = Self.union(frameSizes, bytes.count)
    if lastBlock > 0 { blockSizes = Self.union(blockSizes, lastBlock) }
    lastBlock = header.blockSize
    return output
  }

  private static func union(_ range: ClosedRange<Int>?, _ value: Int) -> ClosedRange<Int> {
    guard let range else { return value...value }
    return min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// Returns the final STREAMINFO.
  ///
  /// `stated` is that of the finished track, from which the MD5 is taken if the audio is the same.
  func finish(_ stated: FLACStreamInfo?) -> FLACStreamInfo {
    var result = stated ?? info
    let isWhole = !isCut && result.sampleCount == UInt64(sampleCount)
    if !isWhole { result.md5 = [UInt8](repeating: 0, count: 16) }
    result.sampleCount = UInt64(sampleCount)
    result.minimumFrameSize = UInt32(clamping: frameSizes?.lowerBound ?? 0)
    result.maximumFrameSize = UInt32(clamping: frameSizes?.upperBound ?? 0)
    // The last block does not count for the minimum (RFC 9639 8.2). A stream of one block has its nominal size.
    if hasVariableSize == true, let sizes = blockSizes {
      result.minimumBlockSize = UInt16(clamping: max(16, sizes.lowerBound))
      result.maximumBlockSize = UInt16(clamping: max(sizes.upperBound, lastBlock))
    }
    return result
  }
}
