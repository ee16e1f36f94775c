import RespoolMedia

extension Packet {
  /// Removes the part before a time, because players differ in hiding it; returns `false` if nothing is left.
  package mutating func cut(before time: Int64) -> Bool {
    guard let start = pts, start < time else { return true }
    guard duration == 0 || duration > time - start else { return false }
    duration = max(0, duration - (time - start))
    (pts, dts) = (time, time)
    return true
  }
}
