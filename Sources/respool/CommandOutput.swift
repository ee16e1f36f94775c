import Respool
import RespoolMedia

/// Results on standard output.
enum CommandOutput {
  /// Prints text for people.
  ///
  /// Terminal controls are escaped, because names, tags and messages may come from a file or a plugin.
  static func show(_ text: String, terminator: String = "\n") {
    print(text.printable(keepingLines: true), terminator: terminator)
  }

  /// Prints a document for programs.
  static func show(_ document: JSON) { print(document.text) }
}
