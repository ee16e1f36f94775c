import RespoolMedia

/// Dolby Vision of a track that is encoded, which some encoders keep frame by frame.
enum DolbyVision {
  /// Decides whether a conversion keeps it, and records that.
  static func resolve(
    _ conversion: inout VideoConversion, of track: TrackDescription, _ recorder: DecisionRecorder
  ) {
    guard let bytes = FourCC.dolbyVision.lazy.compactMap({ track.sideData[$0] }).first else {
      return
    }
    guard let reason = refusal(of: DolbyVisionConfiguration(bytes), in: track, conversion) else {
      conversion.keepsDolbyVision = true
      recorder.record(
        "dolbyVision", "kept",
        "\(conversion.encoder.description.name) writes the data of each frame")
      return
    }
    recorder.record(
      "dolbyVision", "no", reason,
      loss:
        "\(recorder.subject): Dolby Vision is dropped (the DOVI configuration record and the data it "
        + "describes): only the base layer is encoded as \(conversion.codec): \(reason)")
  }

  /// Returns the reason why Dolby Vision is not kept; `nil` if it is.
  private static func refusal(
    of record: DolbyVisionConfiguration?, in track: TrackDescription, _ conversion: VideoConversion
  ) -> String? {
    let encoder = conversion.encoder.description
    guard encoder.flags.contains(.keepsDolbyVision) else { return "\(encoder.name) cannot keep it" }
    guard let record else { return "its configuration record is not valid" }
    guard record.profile == 8, record.hasReferenceProcessingUnits, !record.hasEnhancementLayer
    else { return "profile \(record.profile) has another base layer; only profile 8 is kept" }
    guard conversion.color.isHighDynamicRange,
      conversion.color.transfer == track.color.transfer,
      conversion.color.primaries == track.color.primaries
    else { return "it describes other colors" }
    // It states borders in rows and columns of the frame.
    var size = (track.width, track.height)
    if let filtered = conversion.filters?.output { size = (filtered.width, filtered.height) }
    guard case .keepMatrix = conversion.rotation,
      size == (track.width, track.height), size == (conversion.width, conversion.height)
    else { return "it describes frames of another size" }
    return nil
  }
}
