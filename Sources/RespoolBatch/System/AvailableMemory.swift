import Glibc
import Respool

/// Memory of the machine that work may use.
package enum AvailableMemory {
  /// Returns the bytes of memory that are available on the machine and in the control group; `nil` if unknown.
  ///
  /// MemAvailable of `/proc/meminfo` (proc(5)), and `memory.max` without `memory.current` of the control group
  /// (Linux, "Control Group v2", memory interface files).
  static func bytes() -> Int64? {
    let machine = number(after: "MemAvailable:", in: "/proc/meminfo").map { $0 &* 1024 }
    let group = "/sys/fs/cgroup/memory"
    guard let limit = number(after: "", in: group + ".max") else { return machine }
    let free = max(0, limit - (number(after: "", in: group + ".current") ?? 0))
    return machine.map { min($0, free) } ?? free
  }

  /// Part of the available memory that work may take without another limit.
  private static let part = 0.8

  /// Returns the bytes that work may take without another limit, of those that are available now; `nil` if unknown.
  package static func share() -> Int64? { bytes().map { Int64(Double($0) * part) } }

  private static func number(after label: String, in path: String) -> Int64? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let line {
      let text = String(cString: line)
      guard text.hasPrefix(label) else { continue }
      return Int64(text.dropFirst(label.count).drop { $0 == " " }.prefix { $0.isNumber })
    }
    return nil
  }
}
