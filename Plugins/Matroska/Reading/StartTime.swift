import RespoolPlugin

/// The timestamp that is 0 on the presentation time line.
///
/// As in FFmpeg, it is where the first track starts; what an encoder needs in front of its first sample is not
/// counted for Opus, and for no codec if the file is read as it is shown.
struct StartTime {
  struct Track {
    /// Timestamp of the first block, less the codec delay.
    var start: Int64
    var kind: TrackDescription.Kind
    /// Ticks that are dropped from its start by every player.
    var preSkip: Int64
    /// Ticks that the encoder put in front.
    var padding: Int64
  }

  let ticks: Int64

  init(_ tracks: [Track], fromShown: Bool, tick: Rational) {
    let second = max(1, Rational(1, 1).convert(1, to: tick))
    let media = tracks.filter { $0.kind == .video || $0.kind == .audio }
    let others = tracks.filter { $0.kind != .video && $0.kind != .audio }
    guard var start = media.map(\.start).min() ?? others.map(\.start).min() else {
      ticks = 0
      return
    }
    // Text a little before the first frame is shown in its time.
    if !media.isEmpty, let text = others.map(\.start).min(), text < start, start - text < second {
      start = text
    }
    if media.contains(where: { $0.preSkip > 0 }) {
      start = media.map { $0.start.addingClamped($0.preSkip) }.min() ?? start
    }
    if fromShown, start < 0 {
      let shown = media.map { $0.start.addingClamped($0.padding) }.min() ?? start
      // Times are rounded: what is nearly 0 is 0.
      start = shown.magnitude <= 1 ? 0 : shown
    }
    ticks = start
  }
}
