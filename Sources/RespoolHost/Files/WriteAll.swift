import Glibc

/// Writes all bytes, and continues after signals interrupt it.
///
/// Returns 0, or the error number: `EPIPE` if the reader of a pipe has closed its end. Some of the bytes
/// may have been written then.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  guard let base = bytes.baseAddress else { return 0 }
  var done = 0
  while done < bytes.count {
    let count = write(descriptor, base + done, bytes.count - done)
    if count > 0 {
      done += count
    } else if count == 0 {
      return EIO
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
