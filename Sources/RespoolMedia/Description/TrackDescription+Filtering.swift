extension TrackDescription {
  /// Returns the track with the frames that a filter describes, and with its own text, flags and side data.
  ///
  /// `changesTimes` is `true` if the filter changes the number or the times of frames.
  package func filtered(to output: TrackDescription, changesTimes: Bool) -> TrackDescription {
    var track = self
    track.timeBase = output.timeBase
    if (width, height) != (output.width, output.height) { track.cleanAperture = nil }
    (track.width, track.height) = (output.width, output.height)
    (track.sampleAspect, track.pixelFormat) = (output.sampleAspect, output.pixelFormat)
    (track.frameRate, track.baseFrameRate) = (output.frameRate, output.baseFrameRate)
    (track.fieldOrder, track.color) = (output.fieldOrder, output.color)
    (track.sampleRate, track.channelLayout) = (output.sampleRate, output.channelLayout)
    track.sampleFormat = output.sampleFormat
    track.start = start.map { timeBase.convert($0, to: output.timeBase) }
    track.duration = duration.map { timeBase.convert($0, to: output.timeBase) }
    if changesTimes { (track.duration, track.packetCount) = (nil, nil) }
    return track
  }

  /// Returns the track in a format that a filter accepts: its own, or the one to which a change loses least.
  ///
  /// A track without a format gets the filter's first one. Audio of another rate has times in audio samples.
  package func accepted(by filter: FactoryDescription) -> TrackDescription {
    var track = self
    if kind == .video {
      track.pixelFormat =
        pixelFormat == .none
        ? filter.pixelFormats.first ?? .yuv420p
        : pixelFormat.nearest(among: filter.pixelFormats) ?? pixelFormat
    } else {
      track.sampleFormat =
        sampleFormat == .none
        ? filter.sampleFormats.first ?? .fltp
        : sampleFormat.nearest(among: filter.sampleFormats) ?? sampleFormat
      if !filter.sampleRates.isEmpty, !filter.sampleRates.contains(sampleRate) {
        let rates = filter.sampleRates.sorted()
        track.sampleRate = rates.first { $0 >= sampleRate } ?? rates.last ?? sampleRate
        track.timeBase = Rational(1, Int32(clamping: track.sampleRate))
      }
      let count = channelLayout.channelCount
      if !filter.channelLayouts.isEmpty, !filter.channelLayouts.contains(channelLayout) {
        track.channelLayout =
          filter.channelLayouts.min {
            abs($0.channelCount - count) < abs($1.channelCount - count)
          } ?? channelLayout
      }
    }
    return track
  }
}
