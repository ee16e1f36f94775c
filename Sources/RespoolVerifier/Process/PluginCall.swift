import CVerifier
import RespoolHost
import RespoolMedia

/// The call into the plugin that is running, which names the place of a crash or a hang.
enum PluginCall {
  /// Runs `body`, which calls the plugin's function `name`.
  static func run<Result, Failure: Error>(
    _ name: StaticString, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(name)
    defer { enter("the host") }
    return try body()
  }

  /// Name of the place while no function of the plugin is called.
  static let host = "the host"

  /// Opens an encoder and closes it; throws its refusal.
  static func open(_ factory: PluginFactory, _ settings: EncoderSettings) throws(MediaError) {
    var encoder: EncoderInstance? = try run("open") { () throws(MediaError) in
      try EncoderInstance(factory, settings, reason: "")
    }
    run("close") { encoder = nil }
    _ = encoder
  }

  /// Opens a decoder and closes it; throws its refusal.
  static func open(_ factory: PluginFactory, _ settings: DecoderSettings) throws(MediaError) {
    var decoder: DecoderInstance? = try run("open") { () throws(MediaError) in
      try DecoderInstance(factory, settings, reason: "")
    }
    run("close") { decoder = nil }
    _ = decoder
  }

  private static func enter(_ name: StaticString) {
    // A static string ends with a zero byte and lives as long as the process.
    guard_enter(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
  }
}
