public import RespoolMedia

extension ExportSession {
  /// The file types that the session can write, the preset's own first: names of muxers.
  ///
  /// A type is there where every track that the preset's own type would have can be written as the preset
  /// asks. Blocks while the source is opened. Throws as `prepare` does.
  public func supportedFileTypes() throws(MediaError) -> [String] {
    let media = try sourceMedia()
    let available = registry.availablePlugins
    let own = try resolve(media, as: outputFileType, available)
    let candidates =
      named?.containers ?? available.all(.muxer).map(\.description.name)
    var types = own.skipReason == nil ? [own.container] : []
    for type in candidates where !types.contains(type) {
      // What cannot be resolved cannot be written; why not is of no interest here.
      guard let muxer = available.muxer(named: type)?.description.name, !types.contains(muxer),
        let made = try? resolve(media, as: type, available), made.skipReason == nil,
        Self.media(of: made).isSuperset(of: Self.media(of: own))
      else { continue }
      types.append(muxer)
    }
    return types
  }

  /// The same; the task waits, no thread of Swift's does.
  public var compatibleFileTypes: [String] {
    get async throws(MediaError) {
      try await PlainThread.result("file types") { () throws(MediaError) in
        try self.supportedFileTypes()
      }
    }
  }

  /// The presets by AVFoundation's names, whether they can be carried out or not.
  public static func allExportPresets() -> [String] { ExportPreset.all.map(\.rawValue) }

  /// The presets that make something of an asset with the plugins that are there.
  ///
  /// Blocks while the asset is opened. Throws where it cannot be read.
  public static func exportPresets(compatibleWith asset: Asset, in registry: PluginRegistry)
    throws(MediaError) -> [String]
  {
    try ExportPreset.compatible(with: asset, in: registry).map(\.rawValue)
  }

  /// The same; the task waits, no thread of Swift's does.
  public static func exportPresets(compatibleWith asset: Asset, in registry: PluginRegistry)
    async throws(MediaError) -> [String]
  {
    try await PlainThread.result("presets") { () throws(MediaError) in
      try exportPresets(compatibleWith: asset, in: registry)
    }
  }

  /// Whether a preset makes a file of a type of an asset; nil: of any type.
  ///
  /// Blocks while the asset is opened. False, too, for an asset that cannot be read and a preset that is
  /// not known.
  public static func determineCompatibility(
    ofExportPreset presetName: String, with asset: Asset, outputFileType: String?,
    in registry: PluginRegistry
  ) -> Bool {
    do throws(MediaError) {
      let session = try ExportSession(asset: asset, presetName: presetName, registry: registry)
      let types = try session.supportedFileTypes()
      guard let outputFileType else { return !types.isEmpty }
      let muxer = registry.availablePlugins.muxer(named: outputFileType)?.description.name
      return muxer.map { types.contains($0) } ?? false
    } catch { return false }
  }

  /// The same; the task waits, no thread of Swift's does.
  public static func compatibility(
    ofExportPreset presetName: String, with asset: Asset, outputFileType: String?,
    in registry: PluginRegistry
  ) async -> Bool {
    do throws(MediaError) {
      return try await PlainThread.result("compatibility") {
        determineCompatibility(
          ofExportPreset: presetName, with: asset, outputFileType: outputFileType, in: registry)
      }
    } catch { return false }
  }

  /// The tracks of picture and sound that are written.
  private static func media(of settings: ResolvedSettings) -> Set<Int> {
    Set(
      settings.outputTracks.filter {
        ($0.kind == .video || $0.kind == .audio) && !settings.covers.contains($0.source)
      }.map(\.source))
  }
}
