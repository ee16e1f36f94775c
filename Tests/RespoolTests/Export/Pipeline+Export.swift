import ReadingFixtures
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

extension Pipeline {
  static func preset(_ name: String) throws -> Preset {
    let folder = PluginWorkshop.package.appending(path: "presets").path
    return try PresetLibrary(folders: [.init(path: folder, origin: .installed)]).preset(name)
  }

  @discardableResult
  static func export(
    _ input: String, _ presetName: String, to output: String, threads: Int = 2,
    deinterlace: Preset.Deinterlace = .auto, progress: (@Sendable (Double) -> Void)? = nil
  ) throws -> ExportReport {
    var preset = try preset(presetName)
    preset.video?.deinterlace = deinterlace
    let session = try ExportSession(
      input: input, preset: preset, registry: registry, threads: threads)
    return try session.exportAndWait(to: output, progress: progress)
  }

  /// Returns the times of the first white frame and of the clap of a file, in seconds.
  static func events(_ path: String) throws -> (flash: Double, clap: Double) {
    let flash = try pictures(path).first { sample in
      try #require(sample.imageBuffer).withPlane(0) { bytes, _ in bytes[0] } > 128
    }
    let sound = try sound(path)
    let clap = try #require(sound.channels[0].firstIndex { abs($0) > 0.3 })
    return (
      try #require(flash).presentationTimeStamp.seconds,
      sound.start.seconds + Double(clap) / Double(sound.rate)
    )
  }
}
