import RespoolMedia

/// Fields of encoded video, which stays interlaced if the encoder codes fields.
///
/// ``Deinterlacing`` and a preset's filters make them progressive before. A change of height scales each field by itself. The height becomes a multiple of
/// 4, as H.264 needs for fields of 4:2:0.
struct VideoFields {
  /// Field order of the encoded frames; progressive if they have no fields.
  private(set) var order: TrackDescription.FieldOrder
  /// Height of the encoded frames.
  private(set) var height: Int

  /// Decides the field order, and records the treatment of interlaced motion.
  init(
    of track: TrackDescription, _ rotation: VideoRotation, as codec: String,
    in format: PixelFormat, _ recorder: DecisionRecorder
  ) {
    (order, height) = (track.fieldOrder, rotation.height)
    guard order.isInterlaced else { return }
    let isScaled = height != track.height
    let needsRows =
      codec == "h264" && format.layout?.log2ChromaHeight == 1 && !height.isMultiple(of: 4)
    if let reason = Self.whyNone(
      rotation, codec, isTooLow: needsRows && !(isScaled && height > 4))
    {
      order = .progressive
      recorder.record(
        "fields", "none", "the source is interlaced, and \(reason): motion shows combing",
        loss:
          "\(recorder.subject): interlacing is lost, so that motion shows combing: \(reason); "
          + Self.advice)
      return
    }
    if needsRows {
      height &= ~3
      recorder.record(
        "size", "\(rotation.width)x\(height)", "fields need a multiple of 4 rows")
    }
    recorder.record(
      "fields", order == .topFirst ? "top first" : "bottom first",
      isScaled
        ? "the source is interlaced: each field is scaled by itself, and fields are kept; \(Self.advice)"
        : "the source is interlaced, and so is the output",
      loss: isScaled
        ? "\(recorder.subject): the source is interlaced and scaled: each field is scaled by itself, and players "
          + "that do not deinterlace show combing in motion" : nil)
  }

  private static let advice = "deinterlace: auto in the preset makes progressive frames"

  /// Returns the reason why the output has no fields; `nil` if it has them.
  ///
  /// `isTooLow` is `true` if the height cannot become a multiple of 4.
  private static func whyNone(_ rotation: VideoRotation, _ codec: String, isTooLow: Bool) -> String?
  {
    if case .rotatePixels = rotation.mode { return "rotated frames cannot keep fields" }
    // Codecs whose encoders code fields, or whose field order the container states.
    guard ["h264", "ffv1", "prores"].contains(codec) else { return "\(codec) codes no fields" }
    return isTooLow ? "H.264 codes fields of 4:2:0 only if the height is a multiple of 4" : nil
  }
}
