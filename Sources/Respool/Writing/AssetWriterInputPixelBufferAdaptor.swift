import RespoolMedia

/// Appends pictures to an input, and lends pictures to draw into.
///
/// One to an input. Its appending follows the input's rules.
public final class AssetWriterInputPixelBufferAdaptor: Sendable {
  public let assetWriterInput: AssetWriterInput
  /// Nil: the adaptor has no pool.
  public let sourcePixelBufferAttributes: PixelBufferAttributes?
  private let pool: PixelBufferPool?

  /// Attributes that no pool can have are as if there were none.
  public init(
    assetWriterInput: AssetWriterInput,
    sourcePixelBufferAttributes: PixelBufferAttributes? = nil
  ) {
    self.assetWriterInput = assetWriterInput
    self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
    pool = sourcePixelBufferAttributes.flatMap { attributes in
      do throws(MediaError) {
        return try PixelBufferPool(attributes: attributes)
      } catch { return nil }
    }
  }

  /// Pictures of the source's attributes; nil without attributes, and until writing has begun.
  ///
  /// Better than pictures of one's own: their memory is used again as soon as they are encoded.
  public var pixelBufferPool: PixelBufferPool? {
    switch assetWriterInput.writer?.status {
    case .writing, .completed: pool
    default: nil
    }
  }

  /// Writes a picture that is shown from `time` until the next one, the last as long as the one before it.
  ///
  /// It is encoded when the next one comes: blocks while the one before is. False where that fails: the writer's
  /// `error` tells why. The picture may not be written to afterwards.
  @discardableResult public func append(
    _ picture: PixelBuffer, withPresentationTime time: MediaTime
  ) -> Bool {
    assetWriterInput.append(SampleBuffer(picture, at: time))
  }
}
