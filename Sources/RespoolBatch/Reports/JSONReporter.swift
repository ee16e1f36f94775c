import Respool

/// Prints one JSON object a line on standard output, for other programs.
public final class JSONReporter: BatchReporter {
  public init() {}

  /// Writes the event at once.
  ///
  /// The batch goes on if that fails. The process ends with an error then, unless the reader has closed a pipe.
  public func report(_ event: BatchEvent) { StandardOutput.write((event.line + "\n").utf8) }

  public func tick(_ state: BatchProgress) {}
}
