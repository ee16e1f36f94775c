/// The seek index: cluster positions by time (RFC 9559 5.1.5).
struct Cues {
  struct Point {
    /// Milliseconds.
    var time: Int64
    var track: Int
    /// Position of the cluster relative to the segment's payload.
    var clusterPosition: Int64
    /// Position of the block relative to the cluster's payload.
    var relativePosition: Int
  }

  var points: [Point] = []

  /// Returns the element, with all cluster positions shifted by `shift` bytes.
  ///
  /// Its length does not depend on the shift.
  func bytes(shift: Int64 = 0) -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.cues) { cues in
      for point in points {
        cues.master(.cuePoint) { cue in
          cue.unsigned(.cueTime, UInt64(clamping: point.time))
          cue.master(.cueTrackPositions) { positions in
            positions.unsigned(.cueTrack, point.track)
            positions.unsigned(
              .cueClusterPosition, UInt64(clamping: point.clusterPosition + shift), length: 6)
            positions.unsigned(.cueRelativePosition, point.relativePosition)
          }
        }
      }
    }
    return writer.bytes
  }
}
