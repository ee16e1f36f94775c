import RespoolMedia

extension EditedMedia {
  /// Returns the time before the part's start from which its copied video can be decoded.
  ///
  /// `nil` if the part already starts there, or if `settings` and the container need no earlier start. A
  /// container without edit lists shows the frames that the part's first frames need. All tracks then begin with
  /// those frames, so that they have their audio. Blocks while packets near the start are read.
  func syncStart(_ settings: ResolvedSettings) throws(MediaError) -> MediaTime? {
    guard timeRange.start > .zero, !settings.muxer.description.flags.contains(.hidesPictures) else {
      return nil
    }
    var earliest: MediaTime?
    for track in settings.outputTracks where track.action == .passThrough {
      guard case .track(let source) = origins[track.source], source.canProvideSampleCursors,
        source.description.isMovingPicture, let time = try source.lastSync(upTo: timeRange.start)
      else { continue }
      earliest = min(earliest ?? time, time)
    }
    return earliest.flatMap { $0 < timeRange.start ? max(.zero, $0) : nil }
  }
}

extension ResolvedSettings.Decision {
  /// The decision to begin a part earlier than asked for.
  init(lead: MediaTime, container: String) {
    let milliseconds = Int((lead.seconds * 1000).rounded())
    let limit = "and \(container) cannot hide frames"
    self.init(
      .output, "start", value: "\(milliseconds) ms earlier",
      reason: "the first frames of the part need earlier frames, \(limit)",
      loss: "the part begins \(milliseconds) ms earlier than requested: its first frames need "
        + "earlier frames, \(limit); re-encode for an exact start")
  }

  /// A decision about an edit that loses something.
  init(
    _ subject: ResolvedSettings.Setting.Subject, _ name: String, value: String, reason: String,
    loss: String
  ) {
    self.init(
      setting: .init(subject, .named(name)), value: value, reason: reason, isWarning: true)
    self.loss = loss
  }
}

extension AssetTrack {
  /// Returns the presentation time of the last sync sample at or before a time; `nil` if the track has no such
  /// sample.
  fileprivate func lastSync(upTo time: MediaTime) throws(MediaError) -> MediaTime? {
    guard let ticks = time.ticks(description.timeBase, rounding: .down) else { return nil }
    let packets = try TrackPackets(self)
    try packets.seek(to: ticks)
    var last: Int64?
    while let packet = try packets.next() {
      guard let shown = packet.pts ?? packet.dts else { continue }
      if packet.flags.contains(.key), shown <= ticks { last = max(last ?? shown, shown) }
      // Frames after a time in decoding order may be shown before it, but sync samples are not.
      if packet.dts ?? shown > ticks { break }
    }
    return last.map { MediaTime($0, description.timeBase) }
  }
}
