public import RespoolMedia

extension VideoConversion {
  /// Returns the settings with which to open the encoder.
  ///
  /// - Parameters:
  ///   - source: the converted track, from which language, metadata and disposition are taken.
  ///   - timeBase: time base of the frames that the encoder gets.
  ///   - threads: number of available threads; ``threads`` takes precedence.
  public func encoderSettings(source: TrackDescription, timeBase: Rational, threads: Int)
    -> EncoderSettings
  {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: timeBase)
    track.copyWords(of: source)
    track.width = width
    track.height = height
    track.sampleAspect = sampleAspect
    track.pixelFormat = pixelFormat
    track.color = color
    track.frameRate = frameRate
    track.fieldOrder = fieldOrder
    track.sideData = source.sideData.filter { record in
      record.isOfFrames && (color.isHighDynamicRange || !record.isOfHighDynamicRange)
    }
    if case .keepMatrix(let matrix) = rotation { track.displayMatrix = matrix }
    return EncoderSettings(
      track: track, threads: self.threads ?? threads, bitRate: bitRate, quality: quality,
      options: options)
  }
}

extension AudioConversion {
  /// Returns the settings with which to open the encoder.
  ///
  /// Times are in audio samples.
  public func encoderSettings(source: TrackDescription, threads: Int) -> EncoderSettings {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(clamping: sampleRate)))
    track.copyWords(of: source)
    track.sampleRate = sampleRate
    track.channelLayout = channelLayout
    track.sampleFormat = sampleFormat
    return EncoderSettings(
      track: track, threads: threads, bitRate: bitRate, quality: quality, options: options)
  }
}

extension TrackDescription {
  /// Copies the properties that do not depend on the coding.
  fileprivate mutating func copyWords(of source: TrackDescription) {
    id = source.id
    language = source.language
    // Tags of the old encoder do not apply to the new one.
    metadata = source.metadata.filter { !$0.isOfWriter }
    disposition = source.disposition
    preferredVolume = source.preferredVolume
  }
}
