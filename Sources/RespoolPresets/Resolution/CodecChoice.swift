import RespoolMedia

/// Choice of the encoder of a track, and check for a decoder.
struct CodecChoice {
  private let preset: Preset
  private let source: MediaDescription
  private let available: AvailablePlugins

  init(_ input: ResolutionInput) {
    (preset, source, available) = (input.preset, input.source, input.available)
  }

  /// Returns the encoder named `wanted`, or the best-ranked one of `codec` if that is `nil`.
  ///
  /// Throws `unsupported` if there is no such encoder, or if it does not make `codec`.
  func encoder(_ wanted: String?, for codec: String, _ recorder: DecisionRecorder)
    throws(MediaError) -> AvailablePlugins.Factory
  {
    let all = available.encoders(for: codec)
    if let wanted {
      guard let encoder = available.encoder(named: wanted) else {
        throw MediaError(
          .unsupported,
          "no plugin has the encoder \(wanted), which preset \(preset.name) asks for; for \(codec) "
            + "there are \(Spelling.list(all.map(\.description.name)))", file: preset.path
        ).explained(
          by: available.unusable.explanation(for: .encoder, named: wanted))
      }
      guard encoder.description.codecs.contains(codec) else {
        throw MediaError(
          .unsupported,
          "encoder \(wanted) makes \(Spelling.list(encoder.description.codecs)), not \(codec)",
          file: preset.path)
      }
      recorder.record("encoder", wanted, "named by the preset")
      return encoder
    }
    guard let encoder = all.first else {
      throw MediaError(
        .unsupported, "no plugin encodes \(codec), which preset \(preset.name) asks for",
        file: preset.path, detail: .encoderNotFound
      ).explained(
        by: available.unusable.explanation(for: .encoder) { $0.codecs.contains(codec) })
    }
    recorder.record(
      "encoder", encoder.description.name,
      all.count == 1
        ? "the only installed encoder of \(codec)"
        : encoder.description.tier == .chosen
          ? "its plugin is preferred by the user's choices"
          : "the best-ranked of \(all.count) encoders of \(codec)")
    return encoder
  }

  /// Records the decoder that the preset names, and why it may not be used.
  func recordDecoder(
    _ wanted: String?, for track: TrackDescription, _ recorder: DecisionRecorder
  ) {
    guard let wanted else { return }
    let decodes = available.decoders(for: track.codec).contains { factory in
      [factory].factory(named: wanted, by: \.description, plugin: \.plugin) != nil
    }
    recorder.record(
      "decoder", wanted,
      decodes
        ? "named by the preset"
        : "named by the preset, but it does not decode \(track.codec), so another one does",
      isWarning: !decodes)
  }

  /// Returns the reason why a track cannot be decoded and is left out; `nil` if it can be decoded.
  ///
  /// Throws unless the preset takes all tracks and another one of this kind can be decoded. Without decoders in
  /// the list, nothing is known, and the track is kept.
  func undecodable(_ track: TrackDescription, index: Int) throws(MediaError) -> String? {
    guard track.codec != TrackDescription.editedCodec, !available.all(.decoder).isEmpty,
      available.decoders(for: track.codec).isEmpty
    else {
      return nil
    }
    let codec = track.codecLabel
    let others = source.tracks.filter {
      $0.kind == track.kind && !available.decoders(for: $0.codec).isEmpty
    }
    let rules = track.kind == .video ? preset.video?.trackRules : preset.audio?.trackRules
    if preset.tracks == .all || rules?.isEmpty == false, !others.isEmpty {
      return "no plugin decodes \(codec)"
    }
    throw MediaError(
      .unsupported, "no plugin decodes \(codec)", track: index,
      detail: track.isProtected ? .contentIsProtected : .decoderNotFound)
  }
}
