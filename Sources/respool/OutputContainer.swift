import Respool
import RespoolMedia

/// Preset of an output file, whose extension decides the container.
struct OutputContainer {
  let available: AvailablePlugins
  /// Extension of the output in lower case.
  ///
  /// May be empty.
  let kind: String

  init(_ output: String, _ available: AvailablePlugins) {
    self.available = available
    kind = PathName.splitExtension(PathName.last(output)).extension
  }

  /// Returns the preset called `name` or, without a name, the one for the extension.
  ///
  /// An extension that no plugin knows is ignored: `film.mp4.tmp`, `Talk v1.2`. The preset then decides the
  /// container.
  ///
  /// - Throws: `invalidArgument` if files of the extension cannot hold what the preset makes.
  func preset(_ name: String?) throws(MediaError) -> Preset {
    var preset =
      if let name {
        try PresetLibrary.standard.preset(name, available: available)
      } else {
        try defaultPreset()
      }
    guard let muxer = available.muxer(named: kind), !kind.isEmpty else {
      if isRead { throw refusal(preset, "no plugin writes .\(kind) files") }
      return preset
    }
    if name != nil, let own = available.muxer(named: preset.container),
      own == muxer || own.description.extensions.contains(kind)
    {
      return preset
    }
    guard preset.container != kind else { return preset }
    for codec in preset.allVideo.map(\.codec) + preset.allAudio.map(\.codec)
    where !Self.carries(muxer.description, codec) {
      throw refusal(preset, "\(muxer.description.name) does not carry \(codec)")
    }
    let options = Set(muxer.description.options.map(\.name))
    preset.containerOptions.removeAll { !options.contains($0.name) }
    preset.name += " as \(kind)"
    preset.container = kind
    return preset
  }

  /// `true` if a plugin reads files of the extension.
  private var isRead: Bool {
    available.all(.demuxer).contains { $0.description.extensions.contains(kind) }
  }

  private static func carries(_ muxer: FactoryDescription, _ codec: String) -> Bool {
    codec.isEmpty || muxer.flags.contains(.anyCodec) || muxer.codecs.contains(codec)
      || codec == "pcm" && muxer.codecs.contains { $0.hasPrefix("pcm_") }
  }

  private func refusal(_ preset: Preset, _ reason: String) -> MediaError {
    let own = available.muxer(named: preset.container)?.description
    let suffix = own.flatMap {
      $0.extensions.contains(preset.container) ? preset.container : $0.extensions.first
    }
    return MediaError(
      .invalidArgument,
      "the output has the extension .\(kind), but \(reason); the preset \(preset.name) makes "
        + "\(suffix.map { ".\($0)" } ?? preset.container) files: use that extension, or another "
        + "preset (respool presets list shows them)")
  }

  private func defaultPreset() throws(MediaError) -> Preset {
    let library = PresetLibrary.standard
    guard let name = library.defaultPreset(forExtension: kind) else {
      let writes = available.all(.muxer).flatMap(\.description.extensions)
      throw MediaError(
        .invalidArgument,
        kind.isEmpty
          ? "the output has no extension to select a preset; add one, or use --preset"
          : writes.contains(kind)
            ? "no preset is the default for .\(kind) files; name one with --preset "
              + "(respool presets list shows them)"
            : "no plugin writes .\(kind) files; "
              + (available.unusable.explanation(for: .muxer, named: kind)
                ?? "there are plugins for " + writes.map { ".\($0)" }.joined(separator: ", ")))
    }
    var preset = try library.preset(name, available: available)
    // Matroska has special extensions for files without video, and for subtitles alone.
    if kind == "mka" { preset.change { ($0.video, $0.subtitles) = (nil, .drop) } }
    if kind == "mks" { preset.change { ($0.video, $0.audio, $0.cover) = (nil, nil, .drop) } }
    return preset
  }
}
