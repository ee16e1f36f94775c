import RespoolMedia

/// Appends pixel buffers to an input, and provides a pool of pixel buffers to draw into.
///
/// An input has at most one adaptor. The rules of ``AssetWriterInput/append(_:)`` apply.
public final class AssetWriterInputPixelBufferAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput
  /// Attributes of the pool's pixel buffers; `nil`: the adaptor has no pool.
  public let sourcePixelBufferAttributes: PixelBufferAttributes?
  private let pool: PixelBufferPool?

  /// Creates an adaptor; attributes that no pool can have leave it without a pool.
  public init(
    assetWriterInput: AssetWriterInput,
    sourcePixelBufferAttributes: PixelBufferAttributes? = nil
  ) {
    self.assetWriterInput = assetWriterInput
    self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
    pool = sourcePixelBufferAttributes.flatMap { try? PixelBufferPool(attributes: $0) }
  }

  /// Pool of pixel buffers with `sourcePixelBufferAttributes`.
  ///
  /// `nil` without attributes, and until writing has begun. Prefer its pixel buffers to your own: their memory is
  /// reused as soon as they are encoded.
  public var pixelBufferPool: PixelBufferPool? {
    switch assetWriterInput.writer?.status {
    case .writing, .completed: pool
    default: nil
    }
  }

  /// Appends a frame that is shown from `time` until the next one; the last has the duration of the one before
  /// it.
  ///
  /// A frame is encoded when the next one arrives. Blocks while the input's queue is full. Returns `false` if
  /// that fails; the writer's `error` gives the reason. Do not write to the pixel buffer afterwards.
  @discardableResult public func append(
    _ pixelBuffer: PixelBuffer, withPresentationTime time: MediaTime
  ) -> Bool {
    assetWriterInput.append(SampleBuffer(pixelBuffer, at: time))
  }
}
