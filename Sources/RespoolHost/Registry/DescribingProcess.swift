import Glibc

/// The process that describes one plugin, seen from inside.
public enum DescribingProcess {
  /// The hidden first argument by which `respool` is asked; the path of the plugin follows.
  public static let argument = "__describe-plugin"

  /// Stands before the answer; lower bytes are stages that were entered.
  static let answerMark: UInt8 = 0xA5

  /// Opens the plugin at `path`, writes what it says about itself and ends the process.
  public static func run(_ path: String) -> Never {
    IsolatedProcess.prepare()
    let description = LoadedPlugin.describe(path) { stage in
      IsolatedProcess.send([stage.rawValue])
    }
    var encoder = DescriptionEncoder()
    encoder.put(description)
    let sum = encoder.bytes.withUnsafeBytes { DescriptionCache.checksum($0) }
    var answer = DescriptionEncoder()
    answer.put(answerMark)
    answer.put(encoder.bytes)
    answer.put(sum)
    IsolatedProcess.send(answer.bytes)
    // Not exit: destructors of a plugin's libraries have no business here.
    _exit(0)
  }

  /// The answer in what was sent, with the last stage that was entered.
  package static func parse(_ bytes: [UInt8]) -> (PluginDescription?, LoadedPlugin.LoadingStep) {
    var stage = LoadedPlugin.LoadingStep.loading
    var position = 0
    while position < bytes.count, let next = LoadedPlugin.LoadingStep(rawValue: bytes[position]) {
      stage = next
      position += 1
    }
    guard position < bytes.count, bytes[position] == answerMark else { return (nil, stage) }
    return bytes[(position + 1)...].withUnsafeBytes { rest in
      var decoder = DescriptionDecoder(rest)
      let body = decoder.data()
      let sum = decoder.number(UInt64.self)
      guard decoder.isValid else { return (nil, stage) }
      return body.withUnsafeBytes { body in
        guard DescriptionCache.checksum(body) == sum else { return (nil, stage) }
        var decoder = DescriptionDecoder(body)
        return (decoder.pluginDescription(), stage)
      }
    }
  }
}
