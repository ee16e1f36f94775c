import RespoolMedia

/// Settings that keep lossless audio lossless if it has to be re-encoded.
struct LosslessAudio {
  /// Lossless codecs besides PCM that presets encode.
  static let codecs: Set<String> = ["flac", "alac"]

  private let input: ResolutionInput

  init(_ input: ResolutionInput) { self.input = input }

  /// Returns the settings of an encoder that keeps the audio of `track` exactly; `nil` if there is none.
  ///
  /// For presets that copy every codec, because they are meant to keep the audio unchanged. `nil` if the
  /// audio is already lossy, if the preset limits sample rate or channels below the source's, or if the
  /// container carries no lossless codec.
  func settings(
    _ wanted: Preset.Audio, for track: TrackDescription, _ recorder: DecisionRecorder
  ) -> Preset.Audio? {
    let depth = track.losslessDepth
    guard wanted.passThrough == .any, depth > 0 else { return nil }
    if let rate = wanted.sampleRate, rate < track.sampleRate { return nil }
    if let limit = wanted.channels, limit < track.channelLayout.channelCount { return nil }
    guard let codec = losslessCodec(for: track) else { return nil }
    var settings = Preset.Audio()
    settings.codec = codec
    settings.passThrough = .any
    let kept = Self.exactDepth(of: codec)
    guard !Self.holds(track, codec) else {
      recorder.record(
        "codec", codec, "the source is lossless (\(depth) bits), and so is \(codec)")
      return settings
    }
    recorder.record(
      "codec", codec,
      "the source has \(depth) bits, and \(codec) with \(kept) bits is the nearest "
        + "that \(input.muxer.name) can have",
      loss:
        "\(recorder.subject): audio samples of \(depth) bits become \(codec) of \(kept) bits: no "
        + "installed lossless encoder keeps that bit depth in \(input.muxer.name)"
    )
    return settings
  }

  /// Records that the lossless codec of a preset keeps fewer bits of an audio sample than `track` has.
  ///
  /// A loss, except with PCM: the name of its codec states the bits that the preset wants.
  func recordDepth(of codec: String, for track: TrackDescription, _ recorder: DecisionRecorder) {
    let (depth, kept) = (track.losslessDepth, Self.exactDepth(of: codec))
    guard kept > 0, depth > 0, !Self.holds(track, codec) else { return }
    let kind = track.isFloatingPointAudio ? "floating point of \(depth) bits" : "\(depth) bits"
    let words = "\(recorder.subject): audio samples of \(kind) become \(codec) of \(kept) bits"
    let isLoss = Self.codecs.contains(codec)
    recorder.record(
      "depth", "\(kept)", "\(codec) from the preset keeps \(kept) bits of an audio sample",
      loss: isLoss ? words : nil, note: isLoss ? nil : words)
  }

  /// Returns the best codec of the container that is lossless for `track`; `nil` if none has an encoder.
  ///
  /// Small output comes before large, and exact before rounded values.
  private func losslessCodec(for track: TrackDescription) -> String? {
    let depth = track.losslessDepth
    let wave = pcm(for: track)
    let order =
      track.isFloatingPointAudio || depth > 24
      ? [wave, "pcm_f64le", "pcm_f64be", "flac", "alac"] : ["flac", wave, "alac"]
    let usable = order.filter { codec in
      input.muxer.codecs.contains(codec) && encodes(track, as: codec)
    }
    let layout = track.channelLayout.resolved
    // The codec that adds the fewest silent channels; without a layout for all, channels would be mixed.
    func channels(_ codec: String) -> Int {
      guard Self.holds(track, codec), let encoder = input.encoder(of: codec) else { return .max }
      return ChannelChoice(encoder, limit: nil).layoutWithAll(of: layout)?.channelCount ?? .max
    }
    return usable.enumerated().min {
      (channels($0.element), $0.offset) < (channels($1.element), $1.offset)
    }?.element
  }

  /// Returns `true` if an encoder of `codec` takes the sample rate and the number of channels of `track`.
  private func encodes(_ track: TrackDescription, as codec: String) -> Bool {
    guard let encoder = input.encoder(of: codec) else { return false }
    let channels = max(1, track.channelLayout.channelCount)
    return (encoder.channelCounts?.contains(channels) ?? true)
      && (encoder.sampleRates.isEmpty || encoder.sampleRates.contains(track.sampleRate))
  }

  /// Returns `true` if `codec` keeps every audio sample of `track` exactly.
  private static func holds(_ track: TrackDescription, _ codec: String) -> Bool {
    track.losslessDepth <= exactDepth(of: codec)
      && (!track.isFloatingPointAudio || codec.hasPrefix("pcm_f"))
  }

  /// Returns the bits of an audio sample that `codec` keeps exactly.
  ///
  /// Floating point of 32 bits counts as 32.
  private static func exactDepth(of codec: String) -> Int {
    switch codec {
    case "flac", "alac": 24
    case let name where name.hasPrefix("pcm_"): Int(name.filter(\.isNumber)) ?? 0
    default: 0
    }
  }

  /// Returns the muxer's PCM codec that holds the source without loss.
  ///
  /// For lossy sources, which have no bit depth of their own, 16 bits.
  func pcm(for track: TrackDescription) -> String {
    let carried = input.muxer.codecs.filter {
      $0.hasPrefix("pcm_") && !input.available.encoders(for: $0).isEmpty
    }
    if carried.contains(track.codec) { return track.codec }
    /// Returns the codec in the byte order that the muxer carries.
    func carriedCodec(_ name: String) -> String? {
      carried.first { $0 == name + "le" } ?? carried.first { $0 == name + "be" }
    }
    let depth = track.losslessDepth
    if track.isFloatingPointAudio, let codec = carriedCodec(depth > 32 ? "pcm_f64" : "pcm_f32") {
      return codec
    }
    // Audio is mixed in floating point of 32 bits.
    if track.codec == TrackDescription.editedCodec, depth > 24, let codec = carriedCodec("pcm_f32")
    {
      return codec
    }
    let byte = carried.first { ["pcm_u8", "pcm_s8"].contains($0) }
    if (1...8).contains(depth), let byte { return byte }
    let name = depth <= 16 ? "pcm_s16" : depth <= 24 ? "pcm_s24" : "pcm_s32"
    return carriedCodec(name) ?? carried.first ?? name + "le"
  }
}
