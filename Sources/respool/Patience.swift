import Glibc

/// Time without progress after which a process that hardly uses the processor is ended.
enum Patience {
  /// Seconds of `RESPOOL_PATIENCE`, at least 1; by default 120.
  static var seconds: Double {
    let seconds = getenv("RESPOOL_PATIENCE").flatMap { Double(String(cString: $0)) }
    return seconds.map { max(1, $0) } ?? 120
  }
}
