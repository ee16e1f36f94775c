import CRespool
public import RespoolMedia

/// The bytes that a demuxer reads. Valid while the demuxer lives; used by the thread that calls it.
// Sendable: the host's functions may be called from whichever thread calls the demuxer.
public final class ByteSource: @unchecked Sendable {
  private let source: rsp_source

  /// `source` stays valid as long as the demuxer it was given to.
  init(_ source: rsp_source) { self.source = source }

  /// Bytes in all; nil where it cannot be known.
  public var size: Int64? { source.size >= 0 ? source.size : nil }

  /// File name without folders.
  public var name: String { String(cString: source.name) }

  /// False: offsets may only grow.
  public var isSeekable: Bool { source.seekable != 0 }

  /// Whether the job was cancelled; long loops ask now and then.
  public var isCancelled: Bool { source.cancelled(source.context) != 0 }

  /// Fills `bytes` from `offset` on.
  ///
  /// Returns how many: fewer only at the end of the source.
  public func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(MediaError)
    -> Int
  {
    guard offset >= 0 else {
      throw MediaError(.malformed, "a position before the start of the file is asked for")
    }
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    let count = source.read_at(source.context, offset, base, bytes.count)
    guard count >= 0 else {
      throw MediaError(
        MediaError.Code(rawValue: rsp_status(clamping: count)), "the source could not be read",
        offset: offset)
    }
    return min(Int(count), bytes.count)
  }

  /// Up to `count` bytes from `offset` on, fewer only at the end of the source.
  ///
  /// Memory follows the bytes that are there, not `count`.
  public func read(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
    guard offset >= 0 else {
      throw MediaError(.malformed, "a position before the start of the file is asked for")
    }
    // Nothing lies beyond the largest offset, so the sums below stay within 64 bits.
    var wanted = Int(min(Int64(max(0, count)), .max - offset))
    if let size { wanted = Int(min(Int64(wanted), max(0, size - offset))) }
    var result: [UInt8] = []
    // Where the size is not known, a false count must not reserve memory: it grows as bytes arrive.
    let step = size == nil ? 1 << 20 : wanted
    while result.count < wanted {
      let part = min(step, wanted - result.count)
      var failure: MediaError?
      let start = offset + Int64(result.count)
      let chunk = [UInt8](unsafeUninitializedCapacity: part) { buffer, initialized in
        do throws(MediaError) {
          initialized = try read(at: start, into: UnsafeMutableRawBufferPointer(buffer))
        } catch { failure = error }
      }
      if let failure { throw failure }
      if result.isEmpty { result = chunk } else { result += chunk }
      if chunk.count < part { break }
    }
    return result
  }

  /// Exactly `count` bytes from `offset` on, or an error.
  public func readExactly(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
    let bytes = try read(at: offset, count: count)
    guard bytes.count == count else {
      throw MediaError(
        .malformed, "\(count) bytes are needed and the source ends after \(bytes.count)",
        offset: offset)
    }
    return bytes
  }
}
