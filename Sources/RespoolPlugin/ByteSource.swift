package import CRespool
public import RespoolMedia

/// The bytes that a demuxer reads.
///
/// Valid while the demuxer lives; used by the thread that calls it.
public final class ByteSource {
  private let source: rsp_source
  /// Bytes of the whole source that this one consists of.
  ///
  /// `nil` for all.
  private let range: Range<Int64>?

  /// Creates a source; `source` must stay valid as long as the demuxer that receives it.
  package init(_ source: rsp_source) { (self.source, range) = (source, nil) }

  private init(_ source: rsp_source, range: Range<Int64>) {
    (self.source, self.range) = (source, range)
  }

  /// Returns a source of a part of the bytes, which has offsets from 0.
  package func part(_ part: Range<Int64>) -> ByteSource {
    let origin = range?.lowerBound ?? 0
    let end = size ?? .max
    let (lower, upper) = (min(max(0, part.lowerBound), end), min(max(0, part.upperBound), end))
    return ByteSource(
      source, range: origin.addingClamped(lower)..<origin.addingClamped(max(lower, upper)))
  }

  /// Size in bytes.
  ///
  /// `nil` if unknown.
  public var size: Int64? {
    if let range { return range.upperBound - range.lowerBound }
    return source.size >= 0 ? source.size : nil
  }

  /// File name without folders.
  public var name: String { String(cString: source.name) }

  /// `true` if any offset can be read at any time; `false` if offsets may only grow.
  public var isSeekable: Bool { source.seekable != 0 }

  /// `true` if the job was cancelled; long loops should check it regularly.
  public var isCancelled: Bool { source.cancelled(source.context) != 0 }

  /// Reads into `bytes` from `offset` on.
  ///
  /// Returns the number of bytes read, which is smaller than the buffer only at the end of the source.
  public func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(MediaError)
    -> Int
  {
    guard offset >= 0 else {
      throw MediaError(.malformed, "a position before the start of the file was requested")
    }
    var (place, wanted) = (offset, bytes.count)
    if let range {
      let length = range.upperBound - range.lowerBound
      wanted = Int(min(Int64(wanted), max(0, length - offset)))
      place = range.lowerBound.addingClamped(offset)
    }
    guard let base = bytes.baseAddress, wanted > 0 else { return 0 }
    let count = source.read_at(source.context, place, base, wanted)
    guard count >= 0 else {
      throw MediaError(
        MediaError.Code(rawValue: rsp_status(clamping: count)), "the source could not be read",
        offset: offset)
    }
    return min(Int(count), wanted)
  }

  /// Reads `count` bytes from `offset` on, or fewer at the end of the source.
  ///
  /// The memory used depends on the bytes present, not on `count`.
  public func read(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
    guard offset >= 0 else {
      throw MediaError(.malformed, "a position before the start of the file was requested")
    }
    // Nothing lies beyond the largest offset, so the sums below stay within 64 bits.
    var wanted = Int(min(Int64(max(0, count)), .max - offset))
    if let size { wanted = Int(min(Int64(wanted), max(0, size - offset))) }
    var result: [UInt8] = []
    // If the size is unknown, a false count must not reserve memory: memory grows as bytes arrive.
    let step = size == nil ? 1 << 20 : wanted
    while result.count < wanted {
      let part = min(step, wanted - result.count)
      let start = offset + Int64(result.count)
      let chunk = try [UInt8](unsafeUninitializedCapacity: part) {
        (buffer, initialized) throws(MediaError) in
        initialized = try read(at: start, into: UnsafeMutableRawBufferPointer(buffer))
      }
      if result.isEmpty { result = chunk } else { result += chunk }
      if chunk.count < part { break }
    }
    return result
  }

  /// Reads exactly `count` bytes from `offset` on.
  ///
  /// Throws `malformed` if the source has fewer.
  public func readExactly(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
    let bytes = try read(at: offset, count: count)
    guard bytes.count == count else {
      throw MediaError(
        .malformed,
        "\(count.counting("byte", "is", "are")) needed, but the source ends after \(bytes.count)",
        offset: offset)
    }
    return bytes
  }
}
