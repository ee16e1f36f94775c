import RespoolPlugin

/// A reference of the cues to a block (RFC 9559 5.1.5).
struct CueReference {
  /// In timestamp ticks of the segment.
  var time: Int64 = 0
  /// Number of the track.
  var track: UInt64 = 0
  /// Position of the cluster in the file; -1 if not stored.
  var cluster: Int64 = -1
  /// Position of the block after the start of the cluster's payload; `nil` if not stored.
  var block: Int64?

  /// Calls `body` with each reference of an element `Cues`, whose positions count from `origin`.
  static func forEach(
    in cues: EBMLElement, origin: Int64, _ body: (CueReference) -> Void
  ) throws(MediaError) {
    try cues.forEachChild { (point) throws(MediaError) in
      guard point.id == .cuePoint else { return }
      var time: UInt64?
      var references: [CueReference] = []
      try point.forEachChild { (child) throws(MediaError) in
        if child.id == .cueTime { time = try child.unsigned }
        guard child.id == .cueTrackPositions else { return }
        references.append(try CueReference(child, origin: origin))
      }
      guard let time else { return }
      for var reference in references {
        reference.time = Int64(clamping: time)
        body(reference)
      }
    }
  }

  private init(_ positions: EBMLElement, origin: Int64) throws(MediaError) {
    try positions.forEachChild { (part) throws(MediaError) in
      switch part.id {
      case .cueTrack: track = try part.unsigned
      case .cueClusterPosition:
        cluster = origin.addingClamped(Int64(clamping: try part.unsigned))
      case .cueRelativePosition: block = Int64(clamping: try part.unsigned)
      default: break
      }
    }
  }
}
