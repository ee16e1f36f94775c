import CVerifier
import RespoolHost

/// The check that memory does not grow over many opens.
enum MemoryGrowth {
  private static let rounds = 200
  /// Rounds after which caches are full.
  private static let warmUp = 60
  /// Seconds for all rounds.
  private static let budget = 6.0

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
    guard heap.count == 3 else { return "\(done) opens only, because they are slow" }
    // A cache may still grow in one half; a leak grows in both.
    let part = Int64(middle - warmUp)
    let growth = min(heap[1] - heap[0], heap[2] - heap[1])
    if growth >= part * 16 {
      throw Finding("each open and close loses about \(growth / part) bytes of memory")
    }
    let pages = min(resident[1] - resident[0], resident[2] - resident[1])
    if pages >= 512 << 10 {
      throw Finding(
        "each open and close adds about \(pages / part) bytes to the memory of the process")
    }
    return isQuick ? "memory is flat, without frames" : "memory is flat"
  }
}
