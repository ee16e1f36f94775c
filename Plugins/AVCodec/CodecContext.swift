import CAVCodec
import RespoolPlugin

/// An owner of an AVCodecContext, which is freed with it.
final class CodecContext {
  let pointer: UnsafeMutablePointer<AVCodecContext>
  let codec: UnsafePointer<AVCodec>

  init(_ codec: UnsafePointer<AVCodec>) throws(MediaError) {
    guard let pointer = avcodec_alloc_context3(codec) else {
      throw MediaError(.limitExceeded, "there is no memory for a codec")
    }
    self.pointer = pointer
    self.codec = codec
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&context)
  }

  var name: String { String(cString: codec.pointee.name) }

  /// Lets the codec use up to `count` threads, for frames and for slices.
  func use(threads count: Int) {
    pointer.pointee.thread_count = Int32(clamping: max(1, count))
    pointer.pointee.thread_type = count > 1 ? FF_THREAD_FRAME | FF_THREAD_SLICE : 0
  }

  /// Copies a configuration record, with the zero padding that codecs may read after it.
  func set(extradata bytes: [UInt8]) throws(MediaError) {
    guard !bytes.isEmpty else { return }
    guard bytes.count < 1 << 28,
      let memory = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
    else {
      throw MediaError(
        .limitExceeded, "a configuration record of \(bytes.count) bytes is too large")
    }
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    pointer.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    pointer.pointee.extradata_size = Int32(bytes.count)
  }

  func open() throws(MediaError) {
    let result = avcodec_open2(pointer, codec, nil)
    guard result >= 0 else {
      // A decoder rejects a damaged configuration record.
      let isDamaged = result == ffmpeg_error_invalid_data && av_codec_is_decoder(codec) != 0
      throw .library(
        result, "\(name) cannot be opened with these settings",
        isDamaged ? .malformed : .unsupported)
    }
  }
}
