import RespoolMedia

extension DemuxLoop {
  /// Damage inside of the file, without its early end, with presentation times in seconds.
  var damageInside: [(error: MediaError, times: ClosedRange<Double>)] {
    zip(damage, damageTimes).filter { cut == nil || $0.0.detail != .endsEarly }
      .map { ($0.0, $0.1) }
  }

  /// Difference of the duration that the file states from that of its packets, as a sentence.
  ///
  /// `nil` if there is no great difference, or not all tracks were read.
  var durationRemark: String? {
    let media = demuxer.media
    let start = Self.startOffset(media.tracks, isSelected: media.tracks.map { _ in true })
    let read = reachedSeconds + Double(start) / 1e9
    guard let stated = media.duration.map({ Double($0) / 1e9 }), demuxer.statesDurations,
      stages.allSatisfy({ $0 != nil }), min(stated, read) * 2 + 1 < max(stated, read)
    else { return nil }
    return "the file states a duration of \(stated.decimalText) s; its packets end at "
      + "\(read.decimalText) s"
  }
}

extension DemuxerInstance {
  /// `true` if durations are those that the file states.
  ///
  /// The fallback estimates those of files that state none.
  var statesDurations: Bool {
    media.declaresDuration || factory.description.tier != .fallback
  }
}
