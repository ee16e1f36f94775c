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
  /// The subtitle track that is drawn into the frames of video; `nil` if there is none.
  private(set) var burnt: BurntTrack?

  /// A subtitle track, and what makes images of it.
  struct BurntTrack {
    var index: Int
    var renderer: AvailablePlugins.Factory
  }

  private let input: ResolutionInput
  private var source: MediaDescription { input.source }
  private var preset: Preset { input.preset }

  init(by input: ResolutionInput, writesChapters: Bool, _ recorder: DecisionRecorder) {
    self.input = input
    var (video, audio, subtitles): ([Int], [Int], [Int]) = ([], [], [])
    for (index, track) in source.tracks.enumerated() {
      switch track.kind {
      case .video:
        if track.disposition.contains(.attachedPicture) {
          covers.insert(index)
        } else if track.isMovingPicture == input.writesStills {
          dropped[index] =
            input.writesStills ? "video, not a still image" : "a still image, not video"
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
      case .subtitle: subtitles.append(index)
      case .attachment: break
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
    keep(video, "video", preset.video?.trackRules ?? [], recorder.about(.video(1)))
    keep(audio, "audio", preset.audio?.trackRules ?? [], recorder.about(.audio(1)))
    if video.contains(where: { dropped[$0] == nil }) { chooseBurnt(of: subtitles, recorder) }
    if !preset.subtitleRules.isEmpty {
      keep(
        subtitles.filter { $0 != burnt?.index }, by: preset.subtitleRules, "subtitle")
    }
  }

  /// Chooses the subtitles to draw: the best track of the first rule that selects one that can be drawn.
  private mutating func chooseBurnt(of indexes: [Int], _ recorder: DecisionRecorder) {
    guard !preset.burn.isEmpty else { return }
    var undrawable: [Int] = []
    for rule in preset.burn {
      let found = indexes.filter { fulfils(rule, $0) }
      let drawable = found.filter { renderer(of: $0) != nil }
      undrawable += found.filter { !drawable.contains($0) && !undrawable.contains($0) }
      guard let best = best(of: drawable), let renderer = renderer(of: best) else { continue }
      burnt = BurntTrack(index: best, renderer: renderer)
      dropped[best] = "its subtitles are drawn into the video"
      replaced.insert(best)
      return
    }
    let refused = undrawable.map { "\(TrackNumber(index: $0)) (\(source.tracks[$0].codec))" }
    let reason =
      refused.isEmpty
      ? "no subtitle track of the source fulfils a rule"
      : "subtitles of this kind cannot be drawn: \(refused.joined(separator: ", "))"
    recorder.record(
      "burn", "no", reason,
      loss: refused.isEmpty ? nil : "no subtitles are drawn into the video: \(reason)",
      note: refused.isEmpty ? "no subtitles are drawn into the video: \(reason)" : nil)
  }

  /// Returns what makes images of a subtitle track; `nil` if nothing does.
  private func renderer(of index: Int) -> AvailablePlugins.Factory? {
    input.available.subtitleRenderer(of: source.tracks[index])
  }

  /// Drops the tracks that rules do not select, or all but the best if the preset says so instead.
  private mutating func keep(
    _ indexes: [Int], _ kind: String, _ rules: [Preset.TrackRule], _ recorder: DecisionRecorder
  ) {
    if !rules.isEmpty {
      keep(indexes, by: rules, kind)
    } else if preset.tracks == .best {
      keepBest(of: indexes, kind, recorder)
    }
  }

  private mutating func keep(_ indexes: [Int], by rules: [Preset.TrackRule], _ kind: String) {
    var selected: Set<Int> = []
    for rule in rules where !rule.isFallback || selected.isEmpty {
      let found = indexes.filter { fulfils(rule, $0) }
      selected.formUnion(rule.takesBest ? best(of: found).map { [$0] } ?? [] : found)
    }
    for index in indexes where !selected.contains(index) {
      dropped[index] = "no rule of the preset selects the \(kind) track"
    }
  }

  private func fulfils(_ rule: Preset.TrackRule, _ index: Int) -> Bool {
    rule.condition?.holds(for: source.tracks[index], of: source, size: input.size) ?? true
  }

  private func best(of indexes: [Int]) -> Int? {
    indexes.max { (rank($0), -$0) < (rank($1), -$1) }
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
    guard let best = best(of: indexes), indexes.count > 1 else { return }
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
