import CRespool

extension rsp_packet {
  /// Writes itself to where the host wants it, no further than the host's struct reaches: an older host does not
  /// know the last fields.
  func fill(_ target: UnsafeMutablePointer<rsp_packet>) {
    let oldest = MemoryLayout<rsp_packet>.offset(of: \.format) ?? 0
    let size = min(
      max(oldest, Int(target.pointee.struct_size)), MemoryLayout<rsp_packet>.size)
    withUnsafePointer(to: self) {
      UnsafeMutableRawPointer(target).copyMemory(from: $0, byteCount: size)
    }
    target.pointee.struct_size = UInt32(size)
  }
}
