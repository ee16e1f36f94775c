import RespoolMedia

extension PresetResolver {
  package struct Choice {
    /// Reasons by index.
    package var dropped: [Int: String] = [:]
    package var covers: Set<Int> = []
    /// Dropped tracks whose content the output has in another form.
    package var replaced: Set<Int> = []
  }

  /// Which tracks are looked at further.
  ///
  /// Among several of a kind the best is taken: one that the file wants presented, that is not a
  /// commentary, that is marked as default; then one that moves, which the few large pictures beside the
  /// film of a phone's moving photo do not; then the largest picture and the most channels; then the first.
  /// FFmpeg chooses alike.
  mutating func chooseTracks() -> Choice {
    var choice = Choice()
    var video: [Int] = []
    var audio: [Int] = []
    for (index, track) in source.tracks.enumerated() {
      switch track.kind {
      case .video:
        if track.disposition.contains(.attachedPicture) {
          choice.covers.insert(index)
        } else if !track.isMovingPicture {
          choice.dropped[index] = "a still picture, not a moving one"
        } else if preset.video == nil {
          choice.dropped[index] = "the preset makes no video"
        } else {
          video.append(index)
        }
      case .audio:
        if preset.audio == nil {
          choice.dropped[index] = "the preset makes no audio"
        } else {
          audio.append(index)
        }
      case .subtitle, .attachment: break
      case .data:
        if holdsWrittenChapters(track) {
          choice.dropped[index] = "it holds the chapters, which are written as such"
          choice.replaced.insert(index)
        } else {
          choice.dropped[index] = refusal(data: track)
        }
      case .unknown: choice.dropped[index] = "its kind is not known"
      }
    }
    if preset.tracks == .best {
      keepBest(of: video, "video", into: &choice)
      keepBest(of: audio, "audio", into: &choice)
    }
    return choice
  }

  /// Why a data track is not carried over; nil: it is, where the container has a place for it.
  ///
  /// Timed metadata tells about the tracks of its file, so it goes along where those are copied.
  private func refusal(data track: TrackDescription) -> String? {
    guard track.isTimedMetadata else { return "data tracks are not carried over" }
    if preset.metadata == .drop { return "the preset drops metadata" }
    let copies = preset.tracks == .all || preset.video?.passThrough == .only
    return copies ? nil : "timed metadata is carried over where tracks are copied"
  }

  /// `true` for a text track that names the chapters of another (QuickTime File Format, "Chapter Lists"), if
  /// chapters are written.
  private func holdsWrittenChapters(_ track: TrackDescription) -> Bool {
    keepsChapters && !track.isTimedMetadata
      && source.references.contains { $0.type == "chap" && $0.trackID == track.id }
  }

  private mutating func keepBest(of indexes: [Int], _ kind: String, into choice: inout Choice) {
    let best = indexes.max { (rank($0), -$0) < (rank($1), -$1) }
    guard let best, indexes.count > 1 else { return }
    for index in indexes where index != best {
      choice.dropped[index] =
        "the preset takes one \(kind) track, and \(TrackNumber(index: best)) is the better"
    }
    record(
      "\(kind).track", "\(TrackNumber(index: best).value)",
      "the best of \(indexes.count) \(kind) tracks")
  }

  private func rank(_ index: Int) -> Int {
    let track = source.tracks[index]
    let aside: TrackDescription.Disposition = [.commentary, .hearingImpaired, .visualImpaired]
    var rank = track.disposition.contains(.disabled) ? 0 : 4
    rank += track.disposition.isDisjoint(with: aside) ? 2 : 0
    rank += track.disposition.contains(.default) ? 1 : 0
    // Five are enough to move.
    let pictures = track.kind == .video ? Int(min(max(track.packetCount ?? 5, 0), 5)) : 0
    // Both numbers fit 40 bits, whatever the file says.
    let size =
      track.kind == .video
      ? min(max(track.width, 0), 1 << 20) * min(max(track.height, 0), 1 << 20)
      : min(max(track.channelLayout.channelCount, 0), 1 << 20)
    return rank << 44 + pictures << 41 + size
  }
}
