import RespoolMedia

/// The plans of a batch that changes nothing: they are reported in the order of the files, and written into a file.
final class ShownPlans {
  private let results: BatchResults
  private let report: BatchReport
  /// Plan to which decisions are written; `nil` if there is none.
  private let target: PlanFile?
  /// Failure to write the plan; `nil` if there is none.
  private(set) var failure: MediaError?
  /// Files with plans that wait for those of the files before them.
  private var decided: [Int: BatchFile] = [:]
  /// Number of the file that is shown next.
  private var next = 0

  private static let mostDecided = 4096

  init(_ results: BatchResults, _ report: BatchReport, _ target: PlanFile?) {
    (self.results, self.report, self.target) = (results, report, target)
  }

  /// Reports the plan of a file after those of all files that were found before it.
  ///
  /// If a file takes very long, others do not wait for it.
  func show(_ file: BatchFile) {
    if let target, failure == nil {
      do throws(MediaError) { try target.add(file) } catch { failure = error }
    }
    guard file.number >= next else { return reportPlan(of: file) }
    decided[file.number] = file
    while let file = decided.removeValue(forKey: next) {
      reportPlan(of: file)
      next += 1
    }
    guard decided.count > Self.mostDecided else { return }
    for (number, file) in decided.sorted(by: { $0.key < $1.key }) {
      reportPlan(of: file)
      next = number + 1
    }
    decided = [:]
  }

  private func reportPlan(of file: BatchFile) {
    report.planned(file, seconds: results.predictedSeconds(of: file))
  }
}
