import CVerifier
import RespoolHost

/// The check that memory does not grow over many opens.
enum MemoryGrowth {
  private static let rounds = 200
  /// Rounds after which caches are full.
  private static let warmUp = 60
  /// Seconds for all rounds.
  private static let budget = 6.0
  /// Number of bytes that may be lost with each open and close.
  // Set once, before the checks, by the only thread.
  nonisolated(unsafe) static var allowedLeak: Int64 = 0

  /// Calls `body` up to 200 times, with `true` if it must only open and close because more would take too long.
  ///
  /// Throws if the memory in use grows steadily.
  static func check(_ body: (_ isQuick: Bool) throws(Finding) -> Void) throws(Finding) -> String {
    let start = monotonicSeconds()
    for _ in 0..<4 { try body(false) }
    let isQuick = (monotonicSeconds() - start) / 4 * Double(rounds) > budget
    var heap: [Int64] = []
    var resident: [Int64] = []
    var done = 0
    let middle = (warmUp + rounds) / 2
    for round in 1...rounds {
      try body(isQuick)
      done = round
      if round == warmUp || round == middle || round == rounds {
        heap.append(guard_heap())
        resident.append(guard_resident())
      }
      if round < warmUp, monotonicSeconds() - start > budget { break }
    }
    guard heap.count == 3 else {
      throw .skipped("\(done) opens only, because they are slow: too few to show a leak")
    }
    // A cache may still grow in one half; a leak grows in both.
    let part = Int64(middle - warmUp)
    let lost = min(heap[1] - heap[0], heap[2] - heap[1]) / part
    let pages = min(resident[1] - resident[0], resident[2] - resident[1]) / part
    let isFlat = lost < 16 && pages < (512 << 10) / part
    let frames = isQuick ? ", without frames" : ""
    guard !isFlat else { return "memory is flat" + frames }
    let found =
      lost >= 16
      ? "each open and close loses about \(lost) bytes of memory"
      : "each open and close adds about \(pages) bytes to the memory of the process"
    let opens = " (\(rounds - warmUp) opens after the first \(warmUp)\(frames))"
    if lost <= allowedLeak, pages < (512 << 10) / part + 2 * allowedLeak {
      return "\(found)\(opens); --allow-leak allows \(allowedLeak)"
    }
    // The heap does not say whose code allocated the bytes.
    throw Finding(
      found + opens + (allowedLeak > 0 ? "; --allow-leak allows \(allowedLeak)" : ""),
      cause: found)
  }
}
