import RespoolMedia

extension AssetTrack {
  /// Returns why the segments within a range cannot be joined into one track without re-encoding.
  ///
  /// `nil` if they can.
  func whyNotJoined(in range: TimeRange) -> String? {
    let clips = clips(in: range)
    guard let first = clips.first else { return "the track has nothing in the exported part" }
    if first.track.description.isTimedMetadata {
      do throws(MediaError) {
        _ = try JoinedKeys(clips)
        return nil
      } catch { return error.message }
    }
    // Scaling text only changes its display times.
    if clips.contains(where: { $0.isScaled && CaptionFormat($0.track.description) == nil }) {
      return "a segment has another speed, which needs re-encoding"
    }
    if clips.lazy.map(\.track.description).contains(where: {
      $0.kind == .audio && $0.changedRate != nil
    }) {
      return "the edit list of a clip plays its audio at another speed"
    }
    for clip in clips.dropFirst() where clip.track !== first.track {
      guard let difference = clip.track.description.difference(to: first.track.description)
      else { continue }
      let names = [first, clip].map { PathName.last($0.track.asset?.path ?? "a file") }
      return
        "the clips cannot be joined without re-encoding: \(difference) in \(names[0]) and "
        + "\(names[1])"
    }
    return nil
  }

  /// `true` if a segment is only a part of its source track, so that decoding may need samples outside it.
  ///
  /// The end of audio does not count: it exceeds the video of its clip by a packet or two, and any container trims
  /// it. Text needs no samples that are not shown.
  func hasTrimmedClips(in range: TimeRange) -> Bool {
    clips(in: range).contains { clip in
      let description = clip.track.description
      guard CaptionFormat(description) == nil else { return false }
      let isAudio = description.kind == .audio
      // Containers round durations.
      let tolerance = MediaTime(value: isAudio ? 100 : 2, timescale: 1000)
      let whole = clip.track.timeRange
      return whole.start + tolerance < clip.source.start
        || !isAudio && clip.source.end + tolerance < whole.end
    }
  }
}

extension TrackDescription {
  /// Returns why samples of two tracks cannot follow each other in one track, as a part of a sentence.
  ///
  /// `nil` if they can. Audio of another sample rate would not fall on the units of the track's time scale.
  func difference(to other: TrackDescription) -> String? {
    if codec != other.codec { return "\(other.codec) and \(codec)" }
    // Bitmap subtitles have their palette in the extradata. For text it is only the default style, which samples
    // can override.
    if kind == .subtitle, codec != "mov_text" {
      return extradata == other.extradata ? nil : "other parameters of \(codec)"
    }
    guard kind == .audio else { return nil }
    if sampleRate != other.sampleRate { return "\(other.sampleRate) and \(sampleRate) Hz" }
    return channelLayout == other.channelLayout
      ? nil : "\(other.channelLayout) and \(channelLayout)"
  }
}
