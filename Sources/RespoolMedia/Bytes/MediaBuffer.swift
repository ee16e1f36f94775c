public import CRespool

/// Reference-counted bytes that either side of the plugin boundary may have allocated.
///
/// The creator of a buffer fills it before passing it on. After that it is not written to.
// Sendable: the memory is fixed at creation and not written to after the buffer has been passed on.
public final class MediaBuffer: @unchecked Sendable {
  /// The bytes; valid as long as the buffer lives.
  ///
  /// The pointer does not keep the buffer alive. The owner of the buffer must be an argument of the running
  /// function, be used afterwards, or be held by `withExtendedLifetime`. If in doubt, use `withBytes`.
  public let bytes: UnsafeMutableRawBufferPointer
  /// Called at the end instead of deallocating.
  private let onRelease: (@Sendable () -> Void)?

  /// Allocates `count` bytes, not initialized and aligned to 64 bytes.
  ///
  /// 64 bytes of zeros follow, because decoders may read that far (FFmpeg's input padding).
  public init(count: Int) {
    let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 64, alignment: 64)
    UnsafeMutableRawBufferPointer(rebasing: whole[count...]).initializeMemory(
      as: UInt8.self, repeating: 0)
    bytes = UnsafeMutableRawBufferPointer(rebasing: whole[..<count])
    onRelease = nil
  }

  /// Memory of `zeros` bytes that are 0, aligned as that of `init(count:)`.
  public convenience init(zeros: Int) {
    self.init(count: zeros)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// A copy of `source`.
  public convenience init(copying source: UnsafeRawBufferPointer) {
    self.init(count: source.count)
    bytes.copyMemory(from: source)
  }

  /// A copy of `source`.
  public convenience init(_ source: some Collection<UInt8>) {
    self.init(count: source.count)
    bytes.copyBytes(from: source)
  }

  /// Wraps memory with another owner.
  ///
  /// `onRelease` is called once, from any thread, when the buffer is released.
  public init(
    borrowing memory: UnsafeMutableRawBufferPointer, onRelease: @escaping @Sendable () -> Void
  ) {
    bytes = memory
    self.onRelease = onRelease
  }

  deinit {
    if let onRelease { onRelease() } else { bytes.baseAddress?.deallocate() }
  }

  public var count: Int { bytes.count }

  /// The bytes for parsing; as long-lived as ``bytes``.
  public var readOnly: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }

  /// Calls `body` with the bytes and keeps the buffer until it returns.
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
  {
    defer { withExtendedLifetime(self) {} }
    return try body(readOnly)
  }
}

// MARK: The C form

private let retainBuffer: @convention(c) (UnsafeMutableRawPointer) -> Void = {
  _ = Unmanaged<MediaBuffer>.fromOpaque($0).retain()
}
private let releaseBuffer: @convention(c) (UnsafeMutableRawPointer) -> Void = {
  Unmanaged<MediaBuffer>.fromOpaque($0).release()
}

extension MediaBuffer {
  /// The C form with a reference that the receiver must release.
  public func exported() -> rsp_buffer {
    view(Unmanaged.passRetained(self).toOpaque())
  }

  /// The C form without a reference: valid while `self` lives; the receiver retains what it keeps.
  public func lent() -> rsp_buffer {
    view(Unmanaged.passUnretained(self).toOpaque())
  }

  private func view(_ owner: UnsafeMutableRawPointer) -> rsp_buffer {
    rsp_buffer(
      data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count, owner: owner,
      retain: retainBuffer, release: releaseBuffer)
  }

  /// Takes over the one reference that `buffer` carries.
  ///
  /// A buffer without a reference is copied. `nil` if it has no bytes.
  public static func adopting(_ buffer: rsp_buffer) -> MediaBuffer? {
    guard let data = buffer.data else { return nil }
    guard let owner = buffer.owner, let release = buffer.release else {
      return MediaBuffer(copying: UnsafeRawBufferPointer(start: data, count: buffer.size))
    }
    if unsafeBitCast(release, to: UInt.self) == unsafeBitCast(releaseBuffer, to: UInt.self) {
      return Unmanaged<MediaBuffer>.fromOpaque(owner).takeRetainedValue()
    }
    // The owner's release may be called from any thread (base.h), so it may cross into the closure.
    nonisolated(unsafe) let handle = owner
    return MediaBuffer(
      borrowing: UnsafeMutableRawBufferPointer(start: data, count: buffer.size),
      onRelease: { release(handle) })
  }

  /// Keeps a lent buffer beyond the call: by a reference if it is counted, else by a copy.
  public static func retaining(_ buffer: rsp_buffer) -> MediaBuffer? {
    if let owner = buffer.owner { buffer.retain?(owner) }
    return adopting(buffer)
  }
}
