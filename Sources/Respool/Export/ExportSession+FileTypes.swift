public import RespoolMedia

extension ExportSession {
  /// Returns the file types that the session can write, the preset's own first.
  ///
  /// They are names of muxers, each followed by its aliases and file extensions, such as `m4v`. For an
  /// AVFoundation preset they are the file types of the preset. A type is included if every track that the
  /// preset's own type would have can be written as the preset asks. Blocks while the source is opened. Throws as
  /// `prepare` does.
  public func supportedFileTypes() throws(MediaError) -> [FileType] {
    let resolver = resolver
    if let prepared { return try resolver.fileTypes(for: prepared.source) }
    return try resolver.fileTypes(for: resolver.sourceMedia(of: asset))
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
  ) throws(MediaError) -> [String] {
    try ExportPreset.compatible(with: asset, in: registry).map(\.rawValue)
  }

  /// Asynchronous version of ``exportPresets(compatibleWith:in:)``; does not block a thread of the cooperative pool.
  public static func loadExportPresets(
    compatibleWith asset: Asset, in registry: PluginRegistry = .standard
  ) async throws(MediaError) -> [String] {
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
}
