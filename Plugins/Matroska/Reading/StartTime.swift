import RespoolPlugin

/// The timestamp that is 0 on the presentation time line.
///
/// As in FFmpeg, it is the start of the first track. The encoder delay is excluded for Opus. If the file is
/// read as it is shown, it is excluded for all codecs.
struct StartTime {
  struct Track {
    /// Timestamp of the first block minus the codec delay.
    var start: Int64
    var kind: TrackDescription.Kind
    /// Ticks that every player drops from the start.
    var preSkip: Int64
    /// Ticks of encoder delay.
    var padding: Int64
  }

  let ticks: Int64

  init(_ tracks: [Track], afterEncoderDelay: Bool, tick: Rational) {
    let second = max(1, Rational(1, 1).convert(1, to: tick))
    let media = tracks.filter { $0.kind == .video || $0.kind == .audio }
    let others = tracks.filter { $0.kind != .video && $0.kind != .audio }
    guard var start = media.map(\.start).min() ?? others.map(\.start).min() else {
      ticks = 0
      return
    }
    // Text that begins slightly before the first frame keeps its time.
    if !media.isEmpty, let text = others.map(\.start).min(), text < start, start - text < second {
      start = text
    }
    if media.contains(where: { $0.preSkip > 0 }) {
      start = media.map { $0.start.addingClamped($0.preSkip) }.min() ?? start
    }
    if afterEncoderDelay, start < 0 {
      let shown = media.map { $0.start.addingClamped($0.padding) }.min() ?? start
      // Times are rounded: a time close to 0 is 0.
      start = shown.magnitude <= 1 ? 0 : shown
    }
    ticks = start
  }
}
