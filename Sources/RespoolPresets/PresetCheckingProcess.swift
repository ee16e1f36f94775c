import Glibc
package import RespoolMedia

/// The child process that has encoders check the options of a preset.
///
/// A plugin that crashes there ends only the check.
package enum PresetCheckingProcess {
  /// The hidden first argument that starts `respool` in this mode.
  ///
  /// The preset's name or path follows.
  package static let argument = "__check-preset"

  /// Maximum duration of a check.
  ///
  /// Seconds.
  private static let timeLimit = 20.0

  /// Checks the preset, writes its problems and ends the process.
  package static func run(_ name: String) -> Never {
    IsolatedProcess.prepare()
    do throws(MediaError) {
      let available = PluginRegistry().availablePlugins(askingEncoders: true)
      _ = try PresetLibrary.standard.preset(name, available: available)
    } catch {
      IsolatedProcess.send(Array(error.description.utf8))
    }
    // Not exit: destructors of a plugin's libraries must not run here.
    _exit(0)
  }

  /// Throws `invalidArgument` with the reason if an encoder refuses the options of the preset called
  /// `name`.
  ///
  /// A preset without options is not checked. A check that ends without an answer reports nothing, because
  /// every converted file meets the same encoder.
  package static func check(_ preset: Preset, called name: String) throws(MediaError) {
    let options = preset.allVideo.flatMap(\.options) + preset.allAudio.flatMap(\.options)
    guard !options.isEmpty,
      case .success(let process) = IsolatedProcess.start([argument, name], timeLimit: timeLimit)
    else { return }
    var running = [process]
    while !running[0].isOver { IsolatedProcess.wait(for: &running) }
    let problem = String(decoding: running[0].bytes, as: UTF8.self)
    guard case .exited = running[0].end(isAnswered: false), !problem.isEmpty else { return }
    throw MediaError(.invalidArgument, problem)
  }
}
