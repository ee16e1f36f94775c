import RespoolMedia

/// Selection of the tracks to process.
///
/// One track of each kind is chosen, the best by these criteria in order:
///
/// 1. It should be presented, is not a commentary, and is marked as default.
/// 2. It has several frames, unlike the few large stills beside the video of a phone's moving photo.
/// 3. It has the largest frame or the most channels.
/// 4. It is the first.
///
/// FFmpeg chooses in the same way.
struct TrackSelection {
  /// Reasons for dropping tracks, by track index.
  private(set) var dropped: [Int: String] = [:]
  private(set) var covers: Set<Int> = []
  /// Dropped tracks whose content the output has in another form.
  private(set) var replaced: Set<Int> = []

  private let source: MediaDescription
  private let preset: Preset

  init(
    of source: MediaDescription, for preset: Preset, writesChapters: Bool,
    _ recorder: DecisionRecorder
  ) {
    (self.source, self.preset) = (source, preset)
    var video: [Int] = []
    var audio: [Int] = []
    for (index, track) in source.tracks.enumerated() {
      switch track.kind {
      case .video:
        if track.disposition.contains(.attachedPicture) {
          covers.insert(index)
        } else if !track.isMovingPicture {
          dropped[index] = "a still image, not video"
        } else if preset.video == nil {
          dropped[index] = "the preset makes no video"
        } else {
          video.append(index)
        }
      case .audio:
        if preset.audio == nil {
          dropped[index] = "the preset makes no audio"
        } else {
          audio.append(index)
        }
      case .subtitle, .attachment: break
      case .data:
        if writesChapters, holdsChapters(track) {
          dropped[index] = "the track has the chapter titles, which are written as chapters"
          replaced.insert(index)
        } else {
          dropped[index] = refusal(data: track)
        }
      case .unknown: dropped[index] = "the kind of the track is unknown"
      }
    }
    if preset.tracks == .best {
      keepBest(of: video, "video", recorder.about(.video(1)))
      keepBest(of: audio, "audio", recorder.about(.audio(1)))
    }
  }

  /// Returns the reason why a data track is not copied; `nil` if it is copied when the container can carry
  /// it.
  ///
  /// Timed metadata describes the tracks of its file, so it is kept if those are copied.
  private func refusal(data track: TrackDescription) -> String? {
    guard track.isTimedMetadata else { return "data tracks are not copied" }
    if preset.metadata == .drop { return "the preset drops metadata" }
    let copies = preset.tracks == .all || preset.video?.passThrough == .only
    return copies ? nil : "timed metadata needs `tracks: all` or video `passthrough: only`"
  }

  /// Returns `true` for the chapter text track of another track.
  ///
  /// QuickTime File Format, "Chapter Lists".
  private func holdsChapters(_ track: TrackDescription) -> Bool {
    !track.isTimedMetadata
      && source.references.contains { $0.type == "chap" && $0.trackID == track.id }
  }

  private mutating func keepBest(
    of indexes: [Int], _ kind: String, _ recorder: DecisionRecorder
  ) {
    let best = indexes.max { (rank($0), -$0) < (rank($1), -$1) }
    guard let best, indexes.count > 1 else { return }
    for index in indexes where index != best {
      dropped[index] =
        "the preset takes one \(kind) track, and \(TrackNumber(index: best)) is the better"
    }
    recorder.record(
      "track", "\(TrackNumber(index: best).value)",
      "the best of \(indexes.count) \(kind) tracks")
  }

  private func rank(_ index: Int) -> Int {
    let track = source.tracks[index]
    let aside: TrackDescription.Disposition = [.commentary, .hearingImpaired, .visualImpaired]
    var rank = track.disposition.contains(.disabled) ? 0 : 4
    rank += track.disposition.isDisjoint(with: aside) ? 2 : 0
    rank += track.disposition.contains(.default) ? 1 : 0
    // Five frames are enough to count as moving.
    let frames = track.kind == .video ? Int(min(max(track.packetCount ?? 5, 0), 5)) : 0
    // Both numbers fit into 40 bits, whatever the file states.
    let size =
      track.kind == .video
      ? min(max(track.width, 0), 1 << 20) * min(max(track.height, 0), 1 << 20)
      : min(max(track.channelLayout.channelCount, 0), 1 << 20)
    return rank << 44 + frames << 41 + size
  }
}
