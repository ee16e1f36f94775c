public import RespoolMedia

extension ExportSession {
  /// Returns the file types that the session can write, the preset's own first.
  ///
  /// They are names of muxers, each followed by its aliases and file extensions, such as `m4v`. For an
  /// AVFoundation preset they are the file types of the preset. A type is included if every track that the
  /// preset's own type would have can be written as the preset asks. Blocks while the source is opened. Throws as
  /// `prepare` does.
  public func supportedFileTypes() throws(MediaError) -> [FileType] {
    let source = try sourceMedia()
    let available = registry.availablePlugins
    let own = try resolve(source, as: outputFileType.rawValue, available)
    var answers: [AvailablePlugins.Factory: Bool] = [:]
    // A type that cannot be resolved cannot be written; the reason is not needed here.
    func takesAll(_ type: String, _ muxer: AvailablePlugins.Factory) -> Bool {
      if let known = answers[muxer] { return known }
      let made = try? resolve(source, as: type, available)
      let takes =
        made.map { $0.skipReason == nil && Self.media(of: $0).isSuperset(of: Self.media(of: own)) }
      answers[muxer] = takes ?? false
      return takes ?? false
    }
    let candidates =
      named?.containers
      ?? available.all(.muxer).map(\.description).flatMap { [$0.name] + $0.aliases + $0.extensions }
    var types: [String] = []
    for type in [outputFileType.rawValue] + candidates where !types.contains(type) {
      if let muxer = available.muxer(named: type), takesAll(type, muxer) { types.append(type) }
    }
    return types.map { FileType($0) }
  }

  /// Asynchronous version of ``supportedFileTypes()``; does not block a thread of the cooperative pool.
  public var compatibleFileTypes: [FileType] {
    get async throws(MediaError) {
      try await PlainThread.result("file types") { () throws(MediaError) in
        try self.supportedFileTypes()
      }
    }
  }

  /// Returns the names of all AVFoundation presets, whether they are available or not.
  public static func allExportPresets() -> [String] { ExportPreset.all.map(\.rawValue) }

  /// Returns the names of the available presets that are compatible with an asset.
  ///
  /// Blocks while the asset is opened. Throws if it cannot be read.
  public static func exportPresets(
    compatibleWith asset: Asset, in registry: PluginRegistry = .standard
  )
    throws(MediaError) -> [String]
  {
    try ExportPreset.compatible(with: asset, in: registry).map(\.rawValue)
  }

  /// Asynchronous version of ``exportPresets(compatibleWith:in:)``; does not block a thread of the cooperative pool.
  public static func loadExportPresets(
    compatibleWith asset: Asset, in registry: PluginRegistry = .standard
  )
    async throws(MediaError) -> [String]
  {
    try await PlainThread.result("presets") { () throws(MediaError) in
      try exportPresets(compatibleWith: asset, in: registry)
    }
  }

  /// Returns `true` if a preset can make a file of a type from an asset.
  ///
  /// `nil` stands for any type. Blocks while the asset is opened. `false` for an asset that cannot be read and
  /// for an unknown preset.
  public static func determineCompatibility(
    ofExportPreset presetName: String, with asset: Asset, outputFileType: FileType?,
    in registry: PluginRegistry = .standard
  ) -> Bool {
    do throws(MediaError) {
      let session = try ExportSession(asset: asset, presetName: presetName, registry: registry)
      let types = try session.supportedFileTypes()
      guard let outputFileType else { return !types.isEmpty }
      let available = registry.availablePlugins
      guard let muxer = available.muxer(named: outputFileType.rawValue) else { return false }
      return types.contains { available.muxer(named: $0.rawValue) == muxer }
    } catch { return false }
  }

  /// Asynchronous version of `determineCompatibility`; does not block a thread of the cooperative pool.
  public static func compatibility(
    ofExportPreset presetName: String, with asset: Asset, outputFileType: FileType?,
    in registry: PluginRegistry = .standard
  ) async -> Bool {
    do throws(MediaError) {
      return try await PlainThread.result("compatibility") {
        determineCompatibility(
          ofExportPreset: presetName, with: asset, outputFileType: outputFileType, in: registry)
      }
    } catch { return false }
  }

  /// Returns the source indices of the video and audio tracks that are written.
  private static func media(of settings: ResolvedSettings) -> Set<Int> {
    Set(
      settings.outputTracks.filter {
        ($0.kind == .video || $0.kind == .audio) && !settings.covers.contains($0.source)
      }.map(\.source))
  }
}
