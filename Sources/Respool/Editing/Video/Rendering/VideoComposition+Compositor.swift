import RespoolMedia

extension VideoComposition {
  /// The compositor to render with; nil for the built-in one.
  ///
  /// Throws `invalidArgument` for a class that cannot be made.
  func makeCompositor() throws(MediaError) -> (any VideoCompositing)? {
    if let make = customVideoCompositor { return make() }
    guard let type = customVideoCompositorClass else { return nil }
    guard let made = (type as? any DefaultInitializable.Type)?.init() as? any VideoCompositing
    else {
      throw MediaError(
        .invalidArgument,
        "the compositor class \(type) has no initialiser that is known; make it "
          + "DefaultInitializable or set customVideoCompositor")
    }
    return made
  }
}

extension Optional where Wrapped == any VideoCompositing {
  /// Whether tones of frames of a colour are mapped before it sees them; the built-in one takes what comes.
  func getsStandardRange(insteadOf color: ColorDescription) -> Bool {
    guard let self else { return false }
    return color.isHighDynamicRange && !self.supportsHDRSourceFrames
  }
}
