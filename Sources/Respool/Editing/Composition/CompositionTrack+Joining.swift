import RespoolMedia

extension CompositionTrack {
  /// Why its pieces within a range cannot become one track as they are stored; nil where they can.
  func whyNotJoined(in range: TimeRange) -> String? {
    let pieces = TrackPiece.pieces(of: self, in: range)
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
}

extension TrackDescription {
  /// In what the samples of another track are coded differently, as a part of a sentence: a track whose
  /// samples have one description can hold both where it is nil.
  fileprivate func difference(to other: TrackDescription) -> String? {
    if codec != other.codec { return "\(other.codec) and \(codec)" }
    switch kind {
    case .video:
      if (width, height) != (other.width, other.height) {
        return "\(other.width)x\(other.height) and \(width)x\(height)"
      }
      if sampleAspect != other.sampleAspect {
        return "pixels of \(other.sampleAspect) and \(sampleAspect)"
      }
    case .audio:
      if sampleRate != other.sampleRate { return "\(other.sampleRate) and \(sampleRate) Hz" }
      if channelLayout != other.channelLayout {
        return "\(other.channelLayout) and \(channelLayout)"
      }
    case .subtitle where codec == "mov_text":
      // What it is drawn with unless its samples say otherwise.
      return nil
    default: break
    }
    return extradata == other.extradata ? nil : "other parameters of \(codec)"
  }
}
