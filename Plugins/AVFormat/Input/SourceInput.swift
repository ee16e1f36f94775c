import CAVFormat
import RespoolPlugin

/// The host's byte source as libavformat's input: the only place from which bytes are read.
final class SourceInput {
  let source: ByteSource
  /// FFmpeg's I/O context for the source.
  ///
  /// Owned by this object.
  private(set) var context: UnsafeMutablePointer<AVIOContext>?
  private var position: Int64 = 0
  /// The last error of the source: FFmpeg keeps only an error number.
  private(set) var failure: MediaError?
  /// Bytes that may still be read to open the file.
  ///
  /// `nil` after opening.
  private var remaining: Int64? = SourceInput.mostToOpen

  // Headers, covers and indexes are smaller. Without a limit, the search for a first frame would read all of
  // a file that has none.
  private static let mostToOpen: Int64 = 128 << 20

  /// The size that FFmpeg's own file protocol uses.
  private static let bufferSize = 32768

  init(source: ByteSource) throws(MediaError) {
    self.source = source
    guard let buffer = av_malloc(Self.bufferSize) else {
      throw MediaError(.limitExceeded, "there is no memory for an input buffer")
    }
    context = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
      Unmanaged.passUnretained(self).toOpaque(), readBytes, nil, seekTo)
    guard let context else {
      av_free(buffer)
      throw MediaError(.limitExceeded, "there is no memory for an input")
    }
    context.pointee.seekable = source.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
  }

  deinit {
    if let context { av_free(context.pointee.buffer) }
    avio_context_free(&context)
  }

  /// Ends the opening of the file and lifts the read limit.
  func finishOpening() {
    guard remaining != nil else { return }
    remaining = nil
    context?.pointee.eof_reached = 0
  }

  /// The offset at which FFmpeg reads, clamped to the file's size, because FFmpeg may seek past the end.
  var offset: Int64 {
    let offset = context.map { avio_seek($0, 0, SEEK_CUR) } ?? 0
    return max(0, min(offset, source.size ?? .max))
  }

  fileprivate func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
    if source.isCancelled { return ffmpeg_error_exit }
    if let remaining, remaining <= 0 { return ffmpeg_error_end }
    do throws(MediaError) {
      let count = try source.read(at: position, into: bytes)
      guard count > 0 else { return ffmpeg_error_end }
      position += Int64(count)
      remaining? -= Int64(count)
      return Int32(count)
    } catch {
      failure = error
      return error.code == .cancelled ? ffmpeg_error_exit : ffmpeg_error_io
    }
  }

  fileprivate func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return source.size ?? Int64(ffmpeg_error_not_seekable)
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END:
      guard let size = source.size else { return Int64(ffmpeg_error_not_seekable) }
      base = size
    default: return Int64(ffmpeg_error_not_seekable)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, source.isSeekable || target >= position else {
      return Int64(ffmpeg_error_not_seekable)
    }
    position = target
    return target
  }
}

// The opaque pointer is the SourceInput that owns the context, so it lives while FFmpeg calls.
private let readBytes:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
    opaque, bytes, count in
    guard let opaque, let bytes, count > 0 else { return ffmpeg_error_end }
    return Unmanaged<SourceInput>.fromOpaque(opaque).takeUnretainedValue()
      .read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
  }

private let seekTo: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
  opaque, offset, whence in
  guard let opaque else { return Int64(ffmpeg_error_not_seekable) }
  return Unmanaged<SourceInput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
}
