public import RespoolMedia

extension AssetWriter {
  /// Kinds of media that the container carries.
  public var availableMediaTypes: [MediaType] {
    [.video, .audio, .subtitle, .metadata].filter { type in
      muxer.description.codecs.contains { CodecKind.mediaType(of: $0) == type }
    }
  }

  /// Whether an input with these settings could be added, as far as container and plugins are concerned.
  ///
  /// Nil settings: whether samples of that kind could pass through.
  public func canApply(settings: AssetWriterInput.Settings?, for mediaType: MediaType) -> Bool {
    let codecs = muxer.description.codecs
    switch settings {
    case nil: return availableMediaTypes.contains(mediaType)
    case .video(let video):
      return mediaType == .video && video.isUsable && codecs.contains(video.codec)
        && encoderFactory(video.codec, video.encoder) != nil
    case .audio(let audio):
      return mediaType == .audio && audio.sampleRate > 0 && audio.channelLayout.channelCount > 0
        && codecs.contains(audio.codec) && encoderFactory(audio.codec, audio.encoder) != nil
    }
  }

  /// Whether the input is new, writing has not begun, and there is an encoder or a format for it.
  ///
  /// Where samples pass through every container but QuickTime needs the format hint; there the first sample
  /// tells the format, and fails the writer where the container does not carry it.
  public func canAdd(_ input: AssetWriterInput) -> Bool {
    guard status == .unknown, input.writer == nil,
      canApply(settings: input.settings, for: input.mediaType)
    else { return false }
    guard input.settings == nil else { return true }
    guard let hint = input.sourceFormatHint else {
      return muxer.description.name == "mov" && input.mediaType != .metadata
    }
    guard hint.mediaType == input.mediaType else { return false }
    do throws(MediaError) {
      try registry.checkMuxer(muxer, track: hint.track)
      return true
    } catch { return false }
  }

  /// Throws `invalidArgument` where `canAdd` is false.
  public func add(_ input: AssetWriterInput) throws(MediaError) {
    guard canAdd(input) else {
      throw MediaError(.invalidArgument, "the input cannot be added to this writer", file: path)
    }
    input.writer = self
    lock.locked { state.inputs.append(input) }
  }

  /// Whether the inputs are this writer's, of one kind and in no group, and writing has not begun.
  public func canAdd(_ group: AssetWriterInputGroup) -> Bool {
    guard status == .unknown, let first = group.inputs.first else { return false }
    let taken = inputGroups.flatMap(\.inputs)
    return group.inputs.allSatisfy { input in
      input.writer === self && input.mediaType == first.mediaType
        && !taken.contains { $0 === input }
    }
  }

  /// Makes the inputs alternatives to each other: players present one of them at a time.
  ///
  /// The default input's track is marked as enabled and the others are not. Throws `invalidArgument`
  /// where `canAdd` is false.
  public func add(_ group: AssetWriterInputGroup) throws(MediaError) {
    guard canAdd(group) else {
      throw MediaError(
        .invalidArgument, "the group cannot be added: it needs inputs of this writer, of one kind",
        file: path)
    }
    for input in group.inputs { input.marksOutputTrackAsEnabled = input === group.defaultInput }
    lock.locked { state.groups.append(group) }
  }

  func encoderFactory(_ codec: String, _ name: String?) -> PluginFactory? {
    if let name {
      let encoder = registry.encoder(named: name)
      return encoder.flatMap { $0.description.codecs.contains(codec) ? $0 : nil }
    }
    return registry.encoders(for: codec).first
  }
}

/// Inputs whose tracks are alternatives to each other, such as languages.
public final class AssetWriterInputGroup: Sendable {
  public let inputs: [AssetWriterInput]
  /// What is presented unless something else is asked for.
  public let defaultInput: AssetWriterInput?

  /// A default input that is not among the inputs is none.
  public init(inputs: [AssetWriterInput], defaultInput: AssetWriterInput? = nil) {
    self.inputs = inputs
    self.defaultInput = defaultInput.flatMap { input in
      inputs.contains { $0 === input } ? input : nil
    }
  }
}

/// What kind of media a codec makes, by its name.
enum CodecKind {
  private static let sound: Set<String> = [
    "aac", "ac3", "eac3", "mp3", "mp2", "mp1", "opus", "vorbis", "flac", "alac", "dts", "truehd",
    "mlp", "tta", "wavpack", "speex", "ape", "amr_nb", "amr_wb", "wmav1", "wmav2", "gsm", "gsm_ms",
  ]
  private static let texts: Set<String> = [
    "mov_text", "text", "subrip", "srt", "ass", "ssa", "webvtt", "dvd_subtitle",
    "hdmv_pgs_subtitle", "dvb_subtitle", "ttml", "eia_608",
  ]

  static func mediaType(of codec: String) -> MediaType {
    if sound.contains(codec) || codec.hasPrefix("pcm_") || codec.hasPrefix("adpcm_") {
      return .audio
    }
    if codec == "mebx" { return .metadata }
    return texts.contains(codec) ? .subtitle : .video
  }
}
