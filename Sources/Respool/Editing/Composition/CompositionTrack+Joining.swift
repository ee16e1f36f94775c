import RespoolMedia

extension CompositionTrack {
  /// Why its pieces within a range cannot become one track as they are stored; nil where they can.
  func whyNotJoined(in range: TimeRange) -> String? {
    let pieces = pieces(in: range)
    guard let first = pieces.first else { return "nothing of it lies in the part" }
    if first.track.description.isTimedMetadata {
      do throws(MediaError) {
        _ = try JoinedKeys(pieces)
        return nil
      } catch { return error.message }
    }
    // Text is only shown for another time then.
    if pieces.contains(where: { $0.isScaled && CaptionFormat($0.track.description) == nil }) {
      return "a piece of it is played slower or faster, which only decoding and encoding can do"
    }
    for piece in pieces.dropFirst() where piece.track !== first.track {
      guard let difference = piece.track.description.difference(to: first.track.description)
      else { continue }
      let names = [first, piece].map { FileName.last($0.track.asset?.path ?? "a file") }
      return
        "its pieces cannot be joined without encoding: \(difference) in \(names[0]) and \(names[1])"
    }
    return nil
  }

  /// `true` if a piece is only a part of its track, which has to be decoded from before where it begins.
  ///
  /// Audio that sticks out beyond the video of its clip does not count: that is a packet or two, and any container
  /// trims the end of audio. Text needs nothing that is not shown.
  func isOfParts(in range: TimeRange) -> Bool {
    pieces(in: range).contains { piece in
      let description = piece.track.description
      guard CaptionFormat(description) == nil else { return false }
      let isAudio = description.kind == .audio
      // Durations of containers are rounded.
      let tolerance = MediaTime(value: isAudio ? 100 : 2, timescale: 1000)
      let whole = piece.track.timeRange
      return whole.start + tolerance < piece.source.start
        || !isAudio && piece.source.end + tolerance < whole.end
    }
  }
}

extension TrackDescription {
  /// Why samples of another track cannot follow in the same one, as a part of a sentence; nil where they can.
  ///
  /// Sound of another rate would not fall on the units of the track's times.
  func difference(to other: TrackDescription) -> String? {
    if codec != other.codec { return "\(other.codec) and \(codec)" }
    // Subtitles that are pictures have their colours there; of text it says how it is drawn unless the samples
    // tell.
    if kind == .subtitle, codec != "mov_text" {
      return extradata == other.extradata ? nil : "other parameters of \(codec)"
    }
    guard kind == .audio else { return nil }
    if sampleRate != other.sampleRate { return "\(other.sampleRate) and \(sampleRate) Hz" }
    return channelLayout == other.channelLayout
      ? nil : "\(other.channelLayout) and \(channelLayout)"
  }
}
