public import RespoolPlugin

extension Frame {
  /// Returns a frame of a track with a gradient that moves with `index`, so that motion and residuals are coded.
  ///
  /// `nil` if the format is unknown.
  public static func gradient(_ track: TrackDescription, _ index: Int, pts: Int64) -> Frame? {
    guard
      var frame = Frame(
        pixelFormat: track.pixelFormat, width: track.width, height: track.height, pts: pts),
      let layout = track.pixelFormat.layout
    else { return nil }
    frame.duration = 1
    let highest = (1 << layout.depth) - 1
    for plane in 0..<layout.planeCount {
      let rowBytes = layout.rowBytes(ofPlane: plane, for: track.width)
      for row in 0..<layout.height(ofPlane: plane, for: track.height) {
        let base = frame.planes[plane].base + row * frame.planes[plane].stride
        for column in 0..<(layout.depth > 8 ? rowBytes / 2 : rowBytes) {
          let value = ((column + index * 3) * (row + 5) + plane * 40) & highest
          if layout.depth > 8 {
            base.storeBytes(of: UInt16(value), toByteOffset: column * 2, as: UInt16.self)
          } else {
            base.storeBytes(of: UInt8(value), toByteOffset: column, as: UInt8.self)
          }
        }
      }
    }
    return frame
  }
}
