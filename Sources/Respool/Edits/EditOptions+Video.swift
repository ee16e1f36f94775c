import RespoolMedia

extension EditOptions {
  /// Returns a composition of the track: upright, rotated, with overlays and fades, at the track's own frame times.
  func composition(of track: AssetTrack, _ part: TimeRange) throws(MediaError) -> VideoComposition {
    var source = track.visibleSource
    if let rotation { source.preferredTransform = rotation.applied(to: source.preferredTransform) }
    source.timeRange = try track.shownRange()
    if !source.timeRange.isValid || !source.timeRange.end.isNumeric {
      guard part.end.isNumeric else {
        throw MediaError(.unsupported, "the file states no duration; set an end time")
      }
      source.timeRange = TimeRange(start: .zero, end: part.end)
    }
    let composition = MutableVideoComposition(propertiesOf: [source])
    composition.sourceTrackIDForFrameTiming = source.trackID
    let layer = MutableVideoCompositionLayerInstruction(trackID: source.trackID)
    try layer.show(
      track.visiblePart, by: source.placement(within: composition.renderSize, fills: true))
    if fadeIn > .zero {
      try layer.setOpacityRamp(
        fromStartOpacity: 0, toEndOpacity: 1,
        timeRange: TimeRange(start: part.start, duration: fadeIn))
    }
    if fadeOut > .zero {
      try layer.setOpacityRamp(
        fromStartOpacity: 1, toEndOpacity: 0,
        timeRange: TimeRange(start: part.end - fadeOut, duration: fadeOut))
    }
    // Before the first frame nothing is shown, not black, as in an export without edits.
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: source.timeRange, layerInstructions: [layer])
    ]
    composition.overlays = (overlays + [captionOverlay(composition.renderSize)].compactMap { $0 })
      .map { overlay in
        // Overlays fade with the video, which is black before and after.
        var overlay = overlay
        (overlay.timeRange, overlay.fadeIn, overlay.fadeOut) = (part, fadeIn, fadeOut)
        return overlay
      }
    return composition
  }

  private func captionOverlay(_ size: VideoDimensions) -> Overlay? {
    guard let caption else { return nil }
    let em = max(1, caption.size.pixels(of: size.height, size.height))
    let place = caption.anchor.place
    var text = OverlayText(
      caption.text, font: "Sans Bold", size: em,
      outline: .init(width: max(1, em / 12)),
      alignment: place.x == 0 ? .left : place.x == 1 ? .right : .center)
    text.wrapWidth = .fraction(0.92)
    // The margin is a fraction of the height, the same at all edges.
    let margin = Double(size.height) * 0.04
    return Overlay(
      .text(text),
      position: OverlayPosition(
        caption.anchor,
        offset: OverlayOffset(
          x: .points(margin * (1 - 2 * place.x)), y: .points(margin * (1 - 2 * place.y)))))
  }
}

extension VideoCompositionSource {
  /// Returns the transform that shows the track upright, centered in a frame of `size` and as large as fits.
  ///
  /// With `fills`, the result has exactly `size`, with a slight distortion if that size was rounded.
  func placement(within size: VideoDimensions, fills: Bool = false) -> Transform {
    let upright = uprightSize
    guard upright.width > 0, upright.height > 0 else { return uprightTransform }
    let fills =
      fills
      || abs(upright.width - Double(size.width)) <= 1
        && abs(upright.height - Double(size.height)) <= 1
    var scaleX = Double(size.width) / upright.width
    var scaleY = Double(size.height) / upright.height
    if !fills {
      scaleX = min(scaleX, scaleY)
      scaleY = scaleX
    }
    // Edges are on even pixels, so that they are sharp and match chroma samples.
    func even(_ length: Double) -> Double { (length / 2).rounded() * 2 }
    let width = fills ? Double(size.width) : min(Double(size.width), even(upright.width * scaleX))
    let height =
      fills ? Double(size.height) : min(Double(size.height), even(upright.height * scaleY))
    return
      uprightTransform
      .concatenating(Transform(scaleX: width / upright.width, y: height / upright.height))
      .concatenating(
        Transform(
          translationX: even((Double(size.width) - width) / 2),
          y: even((Double(size.height) - height) / 2)))
  }
}

extension AssetTrack {
  /// Returns the range of the file's time line in which a video track is shown; invalid if unknown.
  ///
  /// If the file is longer than all its tracks, the track is shown to the end of the file. The reason: durations of
  /// reordered frames of varying length do not add up to the end of the last frame.
  func shownRange() throws(MediaError) -> TimeRange {
    let known = timeRange
    guard isSelfContained, let asset else { return known }
    let whole = try asset.duration()
    guard known.isValid, known.end.isNumeric, whole.isNumeric, whole > known.end else {
      return known
    }
    let others = try asset.tracks().filter { $0.index != index }.map(\.timeRange.end)
    return others.allSatisfy({ $0.isNumeric && $0 < whole })
      ? TimeRange(start: known.start, end: whole) : known
  }
}
