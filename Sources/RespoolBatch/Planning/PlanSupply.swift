import RespoolMedia

/// Files that are planned already, and which a batch converts.
protocol PlanSupply: AnyObject {
  /// Returns the next files, at most about `count`.
  ///
  /// Throws `malformed` and `io` if they cannot be read.
  func next(_ count: Int) throws(MediaError) -> SuppliedFiles
}

/// The next files of a plan.
enum SuppliedFiles {
  case files([BatchFile])
  /// There may be some later, because another machine has them and may not finish them.
  case later
  case end
}
