import Respool
import RespoolMedia

/// Results on standard output.
///
/// They are written at once: the C library forgets why a part of a large text could not be written.
enum CommandOutput {
  /// Prints text for people.
  ///
  /// Terminal controls are escaped, because names, tags and messages may come from a file or a plugin.
  static func show(_ text: String, terminator: String = "\n") {
    StandardOutput.write((text.printable(keepingLines: true) + terminator).utf8)
  }

  /// Prints a document for programs.
  static func show(_ document: JSON) { StandardOutput.write((document.text + "\n").utf8) }
}
