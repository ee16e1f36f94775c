package import RespoolMedia

/// Replaces properties of frames where the composition's track description differs from the file's.
package final class DescribedStage: Stage {
  /// Description of the following frames by the composition, and by the file.
  private var track, stored: TrackDescription
  private let formats: [(stated: TrackDescription, stored: TrackDescription)]
  private let next: any Stage<Frame>

  /// Returns `nil` if the descriptions do not differ; `stored` is the file's description of the track.
  package init?(_ track: TrackDescription, stored: TrackDescription, to next: any Stage<Frame>) {
    formats = zip(track.sampleDescriptions, stored.sampleDescriptions).map { ($0, $1) }
    guard
      formats.contains(where: { stated, stored in
        stated.color != stored.color || stated.sampleAspect != stored.sampleAspect
          || stated.fieldOrder != stored.fieldOrder || stated.channelLayout != stored.channelLayout
      })
    else { return nil }
    (self.track, self.stored, self.next) = (track, stored, next)
  }

  /// Selects the sample description of the following frames by its number in the track.
  package func change(to format: Int) {
    if formats.indices.contains(format) { (track, stored) = formats[format] }
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    var frame = frame
    switch frame.kind {
    case .video: describe(&frame)
    case .audio:
      if track.channelLayout != stored.channelLayout,
        track.channelLayout.channelCount == frame.channelLayout.channelCount
      {
        frame.channelLayout = track.channelLayout
      }
    }
    try next.consume(frame)
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }

  package func finish() throws(MediaError) { try next.finish() }

  private func describe(_ frame: inout Frame) {
    func take<Value: Equatable>(_ part: WritableKeyPath<ColorDescription, Value>) {
      let stated = track.color[keyPath: part]
      if stated != stored.color[keyPath: part] { frame.color[keyPath: part] = stated }
    }
    take(\.primaries)
    take(\.transfer)
    take(\.matrix)
    take(\.range)
    take(\.chromaLocation)
    if track.sampleAspect != stored.sampleAspect { frame.sampleAspect = track.sampleAspect }
    guard track.fieldOrder != stored.fieldOrder else { return }
    frame.flags.subtract([.interlaced, .topFieldFirst])
    switch track.fieldOrder {
    case .topFirst: frame.flags.formUnion([.interlaced, .topFieldFirst])
    case .bottomFirst: frame.flags.insert(.interlaced)
    case .progressive, .unknown: break
    }
  }
}
