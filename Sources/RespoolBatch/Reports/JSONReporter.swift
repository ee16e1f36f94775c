import Respool

/// A reporter that prints one JSON object per line on standard output, for other programs.
public final class JSONReporter: BatchReporter {
  public init() {}

  /// Writes the event at once.
  ///
  /// The batch continues if that fails. The process then ends with an error, unless the reader has closed a
  /// pipe.
  public func report(_ event: BatchEvent) { StandardOutput.write((event.line + "\n").utf8) }

  public func tick(_ state: BatchProgress) {}
}
