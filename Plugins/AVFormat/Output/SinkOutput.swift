import CAVFormat
import RespoolPlugin

/// The host's byte sink as libavformat's output: the only place to which bytes are written.
final class SinkOutput {
  private let sink: ByteSink
  /// FFmpeg's I/O context for the sink.
  ///
  /// Owned by this object.
  private(set) var context: UnsafeMutablePointer<AVIOContext>?
  /// The first error of the sink: FFmpeg keeps only an error number.
  private(set) var failure: MediaError?

  init(_ sink: ByteSink) throws(MediaError) {
    self.sink = sink
    context = avformat_make_output(Unmanaged.passUnretained(self).toOpaque()) {
      opaque, bytes, count in
      guard let opaque, count > 0 else { return 0 }
      // The opaque pointer is the output that owns the context, so it lives while FFmpeg calls.
      return Unmanaged<SinkOutput>.fromOpaque(opaque).takeUnretainedValue()
        .write(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    guard context != nil else {
      throw MediaError(.limitExceeded, "there is no memory for an output")
    }
  }

  deinit { avformat_free_output(context) }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard failure == nil else { return ffmpeg_error_io }
    do throws(MediaError) {
      try sink.write(Array(bytes))
      return Int32(bytes.count)
    } catch {
      failure = error
      return ffmpeg_error_io
    }
  }
}
