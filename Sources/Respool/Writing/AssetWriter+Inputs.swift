public import RespoolMedia

extension AssetWriter {
  public var inputs: [AssetWriterInput] { configuration.inputs }
  public var inputGroups: [AssetWriterInputGroup] { configuration.groups }

  /// Media types that the container can store.
  public var availableMediaTypes: [MediaType] {
    let description = muxer.description
    return [.video, .audio, .subtitle, .metadata].filter { type in
      description.codecs.contains { codec in
        // Files of audio have pictures only as covers and attached files.
        let isPicture = codec == "bin_data" || FLACPicture.mimeType(ofCodec: codec) != nil
        let isCover = isPicture && !description.flags.contains(.writesStills)
        return CodecKind.mediaType(of: codec) == type && !isCover
      }
    }
  }

  /// `true` if the container and the plugins support an input with these settings.
  ///
  /// If `settings` is `nil`: `true` if samples of that media type could be passed through.
  public func canApply(settings: AssetWriterInput.Settings?, for mediaType: MediaType) -> Bool {
    problem(of: settings, for: mediaType) == nil
  }

  /// Returns the reason why an input with these settings cannot be added; `nil` if it can be.
  private func problem(of settings: AssetWriterInput.Settings?, for type: MediaType) -> String? {
    let name = muxer.description.name
    guard let settings else {
      return availableMediaTypes.contains(type) ? nil : "\(name) does not carry \(type.rawValue)"
    }
    let codec = settings.codec
    if type != settings.mediaType {
      return "the settings of the input are not for \(type.rawValue)"
    }
    if !settings.isUsable {
      return "the settings of the input have an invalid size, rate, aspect ratio or scaling mode"
    }
    if !muxer.description.codecs.contains(codec) { return "\(name) does not carry \(codec)" }
    guard registry.encoder(for: settings) == nil else { return nil }
    let reason =
      settings.encoder.map { "there is no encoder \($0) of \(codec)" }
      ?? "no plugin encodes \(codec)"
    let unusable = registry.unusablePlugins.explanation(for: .encoder) {
      $0.codecs.contains(codec)
    }
    return unusable.map { "\(reason); \($0)" } ?? reason
  }

  /// `true` if the input is new, writing has not begun, and there is an encoder or a format for it.
  ///
  /// Inputs that pass samples through need a format hint, except in QuickTime for media other than timed
  /// metadata. There the first sample determines the format, and fails the writer if the container cannot store
  /// it.
  public func canAdd(_ input: AssetWriterInput) -> Bool { problem(with: input) == nil }

  private func problem(with input: AssetWriterInput) -> String? {
    guard status == .unknown else { return "writing has already begun" }
    // An input that has written keeps its pipeline after its writer is gone.
    guard input.writer == nil, input.pipeline == nil else {
      return "the input already belongs to a writer"
    }
    if let problem = problem(of: input.settings, for: input.mediaType) { return problem }
    guard input.settings == nil else { return nil }
    guard let hint = input.sourceFormatHint else {
      let needsNone = muxer.description.name == "mov" && input.mediaType != .metadata
      return needsNone ? nil : "a pass-through input needs a format hint"
    }
    guard hint.mediaType == input.mediaType else {
      return "the format hint is for another media type"
    }
    do throws(MediaError) {
      try registry.checkMuxer(muxer, track: hint.track)
      return nil
    } catch { return error.message }
  }

  /// Adds an input; throws `invalidArgument` with the reason if `canAdd` is `false`.
  public func add(_ input: AssetWriterInput) throws(MediaError) {
    if let problem = problem(with: input) {
      throw MediaError(.invalidArgument, "the input cannot be added: \(problem)", file: path)
    }
    input.attach(to: self)
    configuration.inputs.append(input)
  }

  /// `true` if the inputs belong to this writer, have one media type, are in no group, and writing has not begun.
  public func canAdd(_ group: AssetWriterInputGroup) -> Bool {
    guard status == .unknown, let first = group.inputs.first else { return false }
    let taken = inputGroups.flatMap(\.inputs)
    return group.inputs.allSatisfy { input in
      input.writer === self && input.mediaType == first.mediaType
        && !taken.contains { $0 === input }
    }
  }

  /// Adds a group of inputs that are alternatives to each other: players present one of them at a time.
  ///
  /// The default input's track is enabled and the others are disabled. Throws `invalidArgument` if `canAdd` is
  /// `false`.
  public func add(_ group: AssetWriterInputGroup) throws(MediaError) {
    guard canAdd(group) else {
      throw MediaError(
        .invalidArgument, "the group cannot be added: it needs inputs of this writer, of one kind",
        file: path)
    }
    for input in group.inputs { input.marksOutputTrackAsEnabled = input === group.defaultInput }
    configuration.groups.append(group)
  }
}

/// Group of inputs whose tracks are alternatives to each other, such as languages.
public final class AssetWriterInputGroup: Sendable {
  public let inputs: [AssetWriterInput]
  /// Input whose track players present by default.
  public let defaultInput: AssetWriterInput?

  /// Creates a group; `defaultInput` is ignored if it is not one of `inputs`.
  public init(inputs: [AssetWriterInput], defaultInput: AssetWriterInput? = nil) {
    self.inputs = inputs
    self.defaultInput = inputs.first { $0 === defaultInput }
  }
}
