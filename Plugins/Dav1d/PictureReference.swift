import CDav1d
import RespoolPlugin

/// A reference to a picture of dav1d, which it releases at its end.
// Sendable: dav1d counts references atomically, and nothing writes to a picture that was returned.
final class PictureReference: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Dav1dPicture>

  /// Creates a reference without a picture, into which dav1d writes.
  init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: Dav1dPicture())
  }

  deinit {
    dav1d_picture_unref(pointer)
    pointer.deallocate()
  }

  /// A buffer that covers the first plane and owns the memory of all.
  var buffer: MediaBuffer {
    let rows = max(0, cdav1d_stride(pointer, 0)) * Int(max(0, pointer.pointee.p.h))
    return MediaBuffer(
      borrowing: UnsafeMutableRawBufferPointer(start: cdav1d_plane(pointer, 0), count: rows)
    ) { withExtendedLifetime(self) {} }
  }
}
