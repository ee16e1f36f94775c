/// A reporter that names the output folder in every event, for output that is about several folders.
public final class FolderReporter: BatchReporter {
  private let folder: String
  private let reporter: any BatchReporter

  /// Creates a reporter that passes events about a folder to another one.
  public init(_ folder: String, _ reporter: any BatchReporter) {
    (self.folder, self.reporter) = (folder, reporter)
  }

  public func report(_ event: BatchEvent) {
    var event = event
    event.folder = folder
    reporter.report(event)
  }

  public func tick(_ state: BatchProgress) { reporter.tick(state) }

  public var namesFinishedFiles: Bool { reporter.namesFinishedFiles }
}
