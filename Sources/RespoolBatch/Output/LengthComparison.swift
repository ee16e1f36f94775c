import Respool
import RespoolMedia

/// A comparison of the duration of an output with that of its source.
///
/// Headers are compared first. If they disagree, all packets are read: headers may contain an estimate, and
/// an output may have only the shorter tracks of its source.
struct LengthComparison {
  private let output: String
  private let source: String
  private let registry: PluginRegistry

  /// Creates a comparison.
  ///
  /// `output` and `source` are paths.
  init(of output: String, with source: String, _ registry: PluginRegistry) {
    (self.output, self.source, self.registry) = (output, source, registry)
  }

  /// Returns a part of a sentence with both durations; `nil` if they agree or one is unknown.
  ///
  /// Calls `step` for every packet that is read. Throws if a file cannot be read.
  func difference(step: () -> Void) throws(MediaError) -> String? {
    let declared = try (demuxer(output).media, demuxer(source).media)
    guard let made = declared.0.seconds, let given = declared.1.seconds,
      !Self.agree(made, given)
    else { return nil }
    let measured = try (
      demuxer(output).measuredMedia(step: step), demuxer(source).measuredMedia(step: step)
    )
    guard let made = measured.0.length, let given = measured.1.length else { return nil }
    let kinds = Set(measured.0.timedTracks.map(\.kind))
    let possible =
      [given] + [measured.1.seconds].compactMap(\.self)
      + measured.1.timedTracks.filter { kinds.contains($0.kind) }.flatMap(\.times)
    guard !possible.contains(where: { Self.agree(made, $0) }) else { return nil }
    return "it lasts \(Self.text(made)) s and its source \(Self.text(given)) s"
  }

  private func demuxer(_ path: String) throws(MediaError) -> DemuxerInstance {
    try registry.openDemuxer(FileSource(path: path))
  }

  /// Returns `true` if the durations, in seconds, differ by at most 1 s or 2 %.
  private static func agree(_ first: Double, _ second: Double) -> Bool {
    abs(first - second) <= max(1, 0.02 * max(first, second))
  }

  /// Returns the seconds as text, with at most one decimal.
  private static func text(_ seconds: Double) -> String {
    let tenths = Int(min(seconds * 10, 1e15).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

extension MediaDescription {
  fileprivate var seconds: Double? {
    duration.flatMap { $0 > 0 ? Double($0) / 1e9 : nil }
  }

  /// Audio and video tracks, without covers.
  fileprivate var timedTracks: [TrackDescription] {
    tracks.filter { $0.kind == .audio || $0.isMovingPicture }
  }

  /// Duration of the longest track in seconds, from its own start.
  fileprivate var length: Double? { timedTracks.compactMap(\.times.first).max() }
}

extension TrackDescription {
  /// Seconds from the start of the track to its end, then from 0 to its end; empty if unknown.
  fileprivate var times: [Double] {
    guard let duration, duration > 0, timeBase.isPositive else { return [] }
    let unit = timeBase.doubleValue
    return [Double(duration) * unit, Double((start ?? 0) &+ duration) * unit]
  }
}
