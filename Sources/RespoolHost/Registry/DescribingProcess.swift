import Glibc

/// The child process that describes one plugin.
package enum DescribingProcess {
  /// The hidden first argument that starts `respool` in this mode.
  ///
  /// The path of the plugin follows.
  package static let argument = "__describe-plugin"

  /// Byte before the answer.
  ///
  /// Lower bytes are the stages that were entered.
  static let answerMark: UInt8 = 0xA5

  /// Opens the plugin at `path`, writes its description and ends the process.
  package static func run(_ path: String) -> Never {
    IsolatedProcess.prepare()
    let description = LoadedPlugin.describe(path) { stage in
      IsolatedProcess.send([stage.rawValue])
    }
    var encoder = DescriptionEncoder()
    encoder.put(description)
    let sum = encoder.bytes.withUnsafeBytes { checksum($0) }
    var answer = DescriptionEncoder()
    answer.put(answerMark)
    answer.put(encoder.bytes)
    answer.put(sum)
    IsolatedProcess.send(answer.bytes)
    // Not exit: destructors of a plugin's libraries must not run here.
    _exit(0)
  }

  /// Returns the answer in the bytes that the child sent, and the last stage that it entered.
  ///
  /// The answer is `nil` if it is missing or damaged.
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
        guard checksum(body) == sum else { return (nil, stage) }
        var decoder = DescriptionDecoder(body)
        return (decoder.pluginDescription(), stage)
      }
    }
  }
}
