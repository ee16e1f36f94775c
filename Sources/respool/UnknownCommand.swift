import ArgumentParser
import Respool

/// A word on the command line that is in the place of a subcommand and is not one.
struct UnknownCommand {
  let word: String
  /// The commands before the word, `respool` first.
  let path: [String]
  let known: [String]

  /// Finds the first such word; `nil` if there is none.
  static func find(in arguments: [String]) -> UnknownCommand? {
    var type: any ParsableCommand.Type = Command.self
    var path = ["respool"]
    for word in arguments {
      let subcommands = type.configuration.subcommands
      if subcommands.isEmpty || word.hasPrefix("-") || path.count == 1 && word == "help" {
        return nil
      }
      guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
        return UnknownCommand(
          word: word, path: path, known: subcommands.compactMap { $0.configuration.commandName })
      }
      path.append(word)
      type = next
    }
    return nil
  }

  /// Sentences for standard error.
  var text: String {
    let command = path.joined(separator: " ")
    let nearest = Spelling.nearest(to: word, among: known)
    let advice =
      nearest.map { "did you mean \"\(command) \($0)\"?" }
      ?? "there are \(known.joined(separator: ", "))"
    return "respool: there is no command \"\(command) \(word)\"; \(advice)\n"
      + "  See '\(command) --help' for more information."
  }
}
