public import RespoolMedia

extension VideoConversion {
  /// What the encoder is opened with.
  ///
  /// - Parameters:
  ///   - source: the track that is converted; language, metadata and disposition come from it.
  ///   - timeBase: of the frames that the encoder will get.
  ///   - threads: how many the machine has to spare; ``threads`` goes first.
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
  /// What the encoder is opened with; times are in samples.
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
  /// Takes over what says nothing about the coding.
  fileprivate mutating func copyWords(of source: TrackDescription) {
    id = source.id
    language = source.language
    // Another encoder is at work.
    metadata = source.metadata.filter { !$0.isOfWriter }
    disposition = source.disposition
    preferredVolume = source.preferredVolume
  }
}
