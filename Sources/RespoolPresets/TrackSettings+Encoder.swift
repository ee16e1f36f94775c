package import RespoolMedia

extension VideoConversion {
  /// Returns the settings with which to open the encoder.
  ///
  /// - Parameters:
  ///   - source: the converted track, from which language, metadata and disposition are taken.
  ///   - timeBase: time base of the frames that the encoder gets.
  ///   - threads: number of available threads; ``threads`` takes precedence.
  package func encoderSettings(source: TrackDescription, timeBase: Rational, threads: Int)
    -> EncoderSettings
  {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: timeBase)
    track.copyText(of: source)
    track.width = width
    track.height = height
    track.sampleAspect = sampleAspect
    track.pixelFormat = pixelFormat
    track.color = color
    track.frameRate = frameRate
    track.fieldOrder = fieldOrder
    // A profile describes the colors of the source, whatever the matrix is.
    let keepsColors =
      color.primaries == source.color.primaries && color.transfer == source.color.transfer
    track.sideData = source.sideData.filter { record in
      if FourCC.dolbyVision.contains(record.type) { return keepsDolbyVision }
      return record.type == .colorProfile
        ? keepsColors
        : record.appliesToFrames && (color.isHighDynamicRange || !record.describesHighDynamicRange)
    }
    if case .keepMatrix(let matrix) = rotation { track.displayMatrix = matrix }
    track.cleanAperture = cleanAperture(of: source)
    var settings = EncoderSettings(
      track: track, threads: self.threads ?? threads, bitRate: bitRate, quality: quality,
      options: options)
    if let keyFrameInterval, frameRate.isPositive {
      // One frame more than an interval, so that the encoder adds no key frame next to a requested one.
      settings.keyFrameInterval = Int((keyFrameInterval * frameRate.doubleValue).rounded(.up)) + 1
    }
    return settings
  }
}

extension VideoConversion {
  /// Returns the clean aperture of the source's frames after the conversion; `nil` if all of a frame is visible.
  package func cleanAperture(of source: TrackDescription) -> CleanAperture? {
    guard let aperture = source.cleanAperture,
      aperture.fits(width: source.width, height: source.height)
    else { return nil }
    var orientation = DisplayMatrix.Orientation()
    if case .rotatePixels(let rotation) = rotation { orientation = rotation }
    return aperture.transformed(
      from: (source.width, source.height), rotatedBy: orientation, to: (width, height))
  }
}

extension AudioConversion {
  /// Returns the settings with which to open the encoder.
  ///
  /// Times are in audio samples.
  package func encoderSettings(source: TrackDescription, threads: Int) -> EncoderSettings {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(clamping: sampleRate)))
    track.copyText(of: source)
    track.sampleRate = sampleRate
    track.channelLayout = channelLayout
    track.sampleFormat = sampleFormat
    return EncoderSettings(
      track: track, threads: threads, bitRate: bitRate, quality: quality, options: options)
  }
}

extension TrackDescription {
  /// Copies the properties that do not depend on the coding.
  fileprivate mutating func copyText(of source: TrackDescription) {
    id = source.id
    language = source.language
    // Tags of the old encoder do not apply to the new one.
    metadata = source.metadata.filter { !$0.namesEncoder && !$0.isStatistic }
    disposition = source.disposition
    preferredVolume = source.preferredVolume
  }
}
