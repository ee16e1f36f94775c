import RespoolMedia
import TestFixtures

@testable import Respool

extension Pipeline {
  static func preset(_ name: String) throws -> Preset {
    let folder = PluginWorkshop.package.appending(path: "presets").path
    return try PresetLibrary(folders: [.init(path: folder, origin: .installed)]).preset(name)
  }

  @discardableResult
  static func export(
    _ input: String, _ presetName: String, to output: String, threads: Int = 2,
    progress: (@Sendable (Double) -> Void)? = nil
  ) throws -> ExportReport {
    let session = try ExportSession(
      input: input, preset: try preset(presetName), registry: registry, threads: threads)
    return try session.exportAndWait(to: output, progress: progress)
  }
}
