public import RespoolMedia

extension PixelBuffer {
  /// What is said about a picture besides its samples.
  public struct Attachments: Hashable, Sendable {
    public var color = ColorDescription.unspecified
    /// The shape of a pixel, width to height; `unknown` where nothing is said.
    public var pixelAspectRatio = Rational.unknown
    /// The part that is meant to be seen; nil: all of it.
    public var cleanAperture: CleanAperture?
    /// Anything else; goes along with the picture and into no file.
    public var custom: [String: String] = [:]

    public init() {}
  }

  /// What is said about the picture; a writer goes by it.
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

  /// Says of another picture what is said of this one, as after filtering it into the other.
  public func propagateAttachments(to other: PixelBuffer) { other.attachments = attachments }
}
