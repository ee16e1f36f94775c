import RespoolMedia

extension AssetTrack {
  /// The part of frames inside of the clean aperture, in square pixels; `nil` if frames are visible as a whole.
  var visiblePart: Rectangle? {
    let track = description
    guard let aperture = track.cleanAperture else { return nil }
    let part = aperture.rectangle(width: track.width, height: track.height)
    guard part.width >= 1, part.height >= 1,
      (part.width, part.height) != (Double(track.width), Double(track.height))
    else { return nil }
    let stretch = track.sampleAspect.isPositive ? track.sampleAspect.doubleValue : 1
    return Rectangle(
      x: part.x * stretch, y: part.y, width: part.width * stretch, height: part.height)
  }

  /// The composition source of the visible part.
  var visibleSource: VideoCompositionSource {
    var source = compositionSource
    if let visiblePart {
      (source.naturalWidth, source.naturalHeight) = (visiblePart.width, visiblePart.height)
    }
    return source
  }
}

extension MutableVideoCompositionLayerInstruction {
  /// Shows `part` of the frames by `transform`, which applies to a frame with the size of the part.
  func show(_ part: Rectangle?, by transform: Transform) throws(MediaError) {
    guard let part else { return try setTransform(transform, at: .zero) }
    try setCropRectangle(part, at: .zero)
    try setTransform(
      Transform(translationX: -part.x, y: -part.y).concatenating(transform), at: .zero)
  }
}
