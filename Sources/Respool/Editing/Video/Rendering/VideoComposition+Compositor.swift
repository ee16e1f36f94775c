import RespoolMedia

extension VideoComposition {
  /// Creates the compositor to render with.
  ///
  /// `nil` for the built-in one. Throws `invalidArgument` for a class that cannot be created.
  func makeCompositor() throws(MediaError) -> (any VideoCompositing)? {
    if let make = customVideoCompositor { return make() }
    guard let type = customVideoCompositorClass else { return nil }
    guard let made = (type as? any DefaultInitializable.Type)?.init() as? any VideoCompositing
    else {
      throw MediaError(
        .invalidArgument,
        "the compositor class \(type) has no known initializer; make it "
          + "DefaultInitializable or set customVideoCompositor")
    }
    return made
  }
}

extension Optional where Wrapped == any VideoCompositing {
  /// Returns `true` if frames of a color are tone-mapped before the compositor gets them.
  ///
  /// Always `false` for the built-in compositor, which accepts all colors.
  func getsStandardRange(insteadOf color: ColorDescription) -> Bool {
    guard let self else { return false }
    return color.isHighDynamicRange && !self.supportsHDRSourceFrames
  }
}
