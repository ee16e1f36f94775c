import RespoolMedia

/// Settings of interlaced video, which stays interlaced if the encoder codes fields.
///
/// There is no deinterlacer.
extension PresetResolver {
  /// Codecs whose encoders code fields, or whose field order the container states.
  static let interlacedCodecs: Set<String> = ["h264", "ffv1", "prores"]

  /// Settles the field order of the encoded frames, and records the treatment of interlaced motion.
  ///
  /// A change of height scales each field by itself. The height becomes a multiple of 4, as H.264 needs for
  /// fields of 4:2:0.
  mutating func settleFields(
    of track: TrackDescription, in conversion: inout VideoConversion,
    about subject: Subject
  ) {
    guard track.fieldOrder == .topFirst || track.fieldOrder == .bottomFirst else { return }
    if case .rotatePixels = conversion.rotation {
      return recordCombs(
        &conversion, subject, "rotated frames cannot keep fields")
    }
    guard Self.interlacedCodecs.contains(conversion.codec) else {
      return recordCombs(&conversion, subject, "\(conversion.codec) codes no fields")
    }
    let isScaled = conversion.height != track.height
    if conversion.codec == "h264", conversion.pixelFormat.layout?.chromaShiftY == 1,
      !conversion.height.isMultiple(of: 4)
    {
      guard isScaled, conversion.height > 4 else {
        return recordCombs(
          &conversion, subject, "H.264 codes fields of 4:2:0 only if the height is a multiple of 4")
      }
      conversion.height &= ~3
      record(
        subject.setting("size"), "\(conversion.width)x\(conversion.height)",
        "fields need a multiple of 4 rows")
    }
    let order = track.fieldOrder == .topFirst ? "top first" : "bottom first"
    guard isScaled else {
      return record(
        subject.setting("fields"), order, "the source is interlaced, and so is the output")
    }
    record(
      subject.setting("fields"), order,
      "the source is interlaced: each field is scaled by itself, and fields are kept; there is no deinterlacer",
      loss:
        "\(subject): the source is interlaced and scaled: each field is scaled by itself, and players that do not "
        + "deinterlace show combing in motion")
  }

  private mutating func recordCombs(
    _ conversion: inout VideoConversion, _ subject: Subject, _ reason: String
  ) {
    conversion.fieldOrder = .progressive
    record(
      subject.setting("fields"), "none",
      "the source is interlaced, and \(reason): motion shows combing",
      loss:
        "\(subject): interlacing is lost, so that motion shows combing: \(reason), and there is no "
        + "deinterlacer")
  }
}
