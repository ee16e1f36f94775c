public import RespoolMedia

extension PixelBuffer {
  /// Properties of a frame besides its pixels.
  public struct Attachments: Hashable, Sendable {
    public var color = ColorDescription.unspecified
    /// Width of a pixel to its height.
    ///
    /// `unknown` if not stored.
    public var pixelAspectRatio = Rational.unknown
    /// The part that is meant to be seen.
    ///
    /// `nil` if that is the whole frame.
    public var cleanAperture: CleanAperture?
    /// Further values; they stay with the frame and are not written to files.
    public var custom: [String: String] = [:]

    public init() {}
  }

  /// Properties of the frame besides its pixels; a writer uses them.
  public var attachments: Attachments {
    get {
      state.withLock { state in
        var attachments = Attachments()
        attachments.color = state.frame.color
        attachments.pixelAspectRatio = state.frame.sampleAspect
        attachments.cleanAperture = state.cleanAperture
        attachments.custom = state.custom
        return attachments
      }
    }
    set {
      state.withLock { state in
        state.frame.color = newValue.color
        state.frame.sampleAspect = newValue.pixelAspectRatio
        state.cleanAperture = newValue.cleanAperture
        state.custom = newValue.custom
      }
    }
  }

  /// Copies the attachments to another frame, such as the result of a filter.
  public func propagateAttachments(to other: PixelBuffer) { other.attachments = attachments }
}
