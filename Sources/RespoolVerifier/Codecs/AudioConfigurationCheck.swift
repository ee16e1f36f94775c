import RespoolMedia

/// Check of the configuration records of audio.
struct AudioConfigurationCheck {
  let track: TrackDescription
  /// Number of audio samples that were sent.
  let sampleCount: Int64

  func run() throws(Finding) {
    let bytes = track.extradata
    switch track.codec {
    case "aac":
      let record = try ConfigurationChecks.parsed("AudioSpecificConfig") { () throws(MediaError) in
        try AudioSpecificConfiguration(bytes)
      }
      try compare("AudioSpecificConfig", "sample rate", record.outputSampleRate, track.sampleRate)
      if let channels = record.channelCount {
        try compare(
          "AudioSpecificConfig", "number of channels", channels, track.channelLayout.channelCount)
      }
    case "opus":
      let record = try ConfigurationChecks.parsed("OpusHead") { () throws(MediaError) in
        try OpusConfiguration(head: bytes)
      }
      try compare(
        "OpusHead", "number of channels", Int(record.channelCount), track.channelLayout.channelCount
      )
      let padding = Int(
        Rational(1, Int32(clamping: max(1, track.sampleRate)))
          .convert(Int64(track.initialPadding), to: Rational(1, 48000)))
      try compare("OpusHead", "pre-skip", Int(record.preSkip), padding)
    case "flac":
      guard bytes.count == FLACStreamInfo.byteCount else {
        throw Finding(
          "extradata has \(bytes.count.counting("byte")); STREAMINFO has \(FLACStreamInfo.byteCount)"
        )
      }
      let record = try ConfigurationChecks.parsed("STREAMINFO") { () throws(MediaError) in
        try FLACStreamInfo(bytes)
      }
      try compare("STREAMINFO", "sample rate", Int(record.sampleRate), track.sampleRate)
      try compare(
        "STREAMINFO", "number of channels", Int(record.channelCount),
        track.channelLayout.channelCount)
      if record.sampleCount != 0 {
        try compare(
          "STREAMINFO", "number of audio samples", Int(record.sampleCount), Int(sampleCount))
      }
    default:
      let headers = try ConfigurationChecks.parsed("Vorbis headers") { () throws(MediaError) in
        try XiphLacing.split(bytes)
      }
      try compare("extradata", "number of Vorbis headers", headers.count, 3)
    }
  }

  private func compare(_ record: String, _ field: String, _ found: Int, _ expected: Int)
    throws(Finding)
  {
    guard found != expected else { return }
    throw Finding("\(record) states the \(field) \(found); \(expected) was expected")
  }
}
