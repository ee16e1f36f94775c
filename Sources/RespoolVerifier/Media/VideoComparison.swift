import RespoolMedia

/// Comparison of decoded video with the frames that were encoded.
struct VideoComparison {
  private let encoding: Encoding
  private let times: [Int64]

  init(_ encoding: Encoding) {
    self.encoding = encoding
    times = encoding.times
  }

  /// Number of the sent frame with a time; `nil` if there is none.
  ///
  /// Times may be rounded to the time base of the encoded track.
  func number(at time: Int64) -> Int? {
    times.indices.first { abs(times[$0] - time) <= 0 }
      ?? times.indices.first {
        abs(times[$0] - time) <= 1 && times.count > 1 && times[1] - times[0] > 2
      }
  }

  /// Throws if a frame shows another one than was sent with its time, or is far from it.
  ///
  /// Frames with times that were not sent are left to another check.
  func check(_ frames: [Frame]) throws(Finding) -> String {
    let track = encoding.input.track
    var worst = 0.0
    var compared = 0
    for (index, frame) in frames.enumerated() {
      guard frame.width == track.width, frame.height == track.height else {
        throw Finding(
          "decoded frames have \(frame.width)x\(frame.height) pixels; "
            + "\(track.width)x\(track.height) were sent"
        )
      }
      guard frame.pixelFormat == track.pixelFormat,
        let grid = FrameGrid(track.pixelFormat, width: track.width, height: track.height)
      else { continue }
      guard
        let number = frame.pts.flatMap(number(at:)) ?? (frames.count == times.count ? index : nil)
      else { continue }
      let moment = encoding.input.firstMoment + number
      let (difference, plane) = grid.difference(frame, time: moment)
      try checkMoment(grid, frame, moment, difference, number)
      if difference > FrameGrid.tolerance {
        throw Finding(
          explanation(grid, frame, moment)
            ?? "plane \(plane) of the decoded frames is far from what was sent")
      }
      try checkEdges(grid, frame, moment, difference)
      worst = max(worst, difference)
      compared += 1
    }
    if compared == 0 {
      guard let found = frames.first?.pixelFormat else { throw Finding("no frames were decoded") }
      let sent = track.pixelFormat
      throw .skipped(
        found == sent
          ? "the verifier does not compare frames of \(sent.name)"
          : "\(found.name) was decoded, which is not compared with \(sent.name)")
    }
    return
      "\(compared.counting("frame")) equal what was sent, within a mean squared difference of "
      + "\(Int(worst))"
  }

  /// Throws if a neighbor of the frame is much more alike.
  private func checkMoment(
    _ grid: FrameGrid, _ frame: Frame, _ moment: Int, _ difference: Double, _ number: Int
  ) throws(Finding) {
    for distance in [-1, 1, -2, 2, -3, 3] {
      let other = number + distance
      guard times.indices.contains(other), grid.comparable.contains(0) else { continue }
      let own = grid.difference(frame, plane: 0, time: moment)
      if grid.difference(frame, plane: 0, time: moment + distance) < own / 4, own > 20 {
        throw Finding(
          "the frame with the time of frame \(number) shows frame \(other): the times do not "
            + "fit the frames"
        )
      }
    }
  }

  /// Throws if the last column or row is unlike the rest.
  private func checkEdges(
    _ grid: FrameGrid, _ frame: Frame, _ moment: Int, _ difference: Double
  ) throws(Finding) {
    for plane in grid.comparable {
      let (columns, rows) = (grid.planes[plane].columns, grid.planes[plane].rows)
      let limit = max(FrameGrid.tolerance, 8 * difference)
      let last = columns - grid.planes[plane].interleave
      if last > 0,
        grid.difference(frame, plane: plane, time: moment, columns: last..<columns) > limit
      {
        throw Finding("the last column of plane \(plane) is not what was sent")
      }
      if rows > 1,
        grid.difference(frame, plane: plane, time: moment, rows: rows - 1..<rows) > limit
      {
        throw Finding("the last row of plane \(plane) is not what was sent")
      }
    }
  }

  /// Returns a reason for a content that is far from what was sent; `nil` if none of the usual ones applies.
  private func explanation(_ grid: FrameGrid, _ frame: Frame, _ moment: Int) -> String? {
    if grid.planes.count >= 3, grid.planes[1].columns == grid.planes[2].columns,
      grid.planes[1].rows == grid.planes[2].rows,
      grid.difference(frame, plane: 1, time: moment, pattern: 2) < FrameGrid.tolerance,
      grid.difference(frame, plane: 2, time: moment, pattern: 1) < FrameGrid.tolerance
    {
      return "planes 1 and 2 are exchanged"
    }
    if grid.difference(frame, plane: 0, time: moment, isFlipped: true) < FrameGrid.tolerance {
      return "the frames are upside down"
    }
    return nil
  }
}
