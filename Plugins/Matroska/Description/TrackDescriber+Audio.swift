import RespoolPlugin

extension TrackDescriber {
  /// Fills in the properties that a WAVEFORMATEX states.
  func read(_ wave: WaveFormatHeader, into track: inout TrackDescription) {
    if wave.channelCount > 0 {
      track.channelLayout =
        wave.mask.nonzeroBitCount == wave.channelCount
        ? ChannelLayout(mask: UInt64(wave.mask)) : .standard(min(wave.channelCount, 64))
    }
    if wave.sampleRate > 0 { track.sampleRate = min(wave.sampleRate, 10_000_000) }
    track.blockAlign = wave.blockAlign
    track.bitRate = Int64(wave.bytesPerSecond) * 8
  }

  /// Fills in the properties of codecs without a configuration record.
  func readAudioProperties(_ track: inout TrackDescription) {
    switch track.codec {
    case "tta": readTTA(&track)
    case "wavpack":
      let record = WavPackBlocks.restored(survey.firstFrame, version: track.extradata)
      guard let header = WavPackHeader(record.prefix(WavPackHeader.byteCount)) else { break }
      track.sampleFormat = header.sampleFormat
      if track.bitsPerSample == 0 { track.bitsPerSample = header.bitsPerSample }
      if let rate = header.sampleRate { track.sampleRate = rate }
    case "ra_144":
      (track.sampleRate, track.channelLayout, track.frameSize) = (8000, .mono, 160)
      track.sampleFormat = .s16
    case "wmav1", "wmav2", "wmapro":
      track.sampleFormat = .fltp
    case "adpcm_ms", "adpcm_ima_wav":
      // The samples of a block follow the size of the structure.
      if track.extradata.count >= 2 {
        track.frameSize = Int(track.extradata[0]) | Int(track.extradata[1]) << 8
      }
      track.sampleFormat = track.codec == "adpcm_ms" ? .s16 : .s16p
    case "adpcm_ima_qt":
      (track.sampleFormat, track.bitsPerSample) = (.s16p, 4)
      track.blockAlign = 34 * track.channelLayout.channelCount
      track.frameSize = 64
    case "gsm_ms": (track.frameSize, track.sampleFormat) = (320, .s16)
    default: break
    }
  }

  /// Creates the header of a TTA file (True Audio codec format), which decoders need and Matroska does not store.
  private func readTTA(_ track: inout TrackDescription) {
    let bits = track.bitsPerSample
    track.sampleFormat = bits <= 8 ? .u8 : bits <= 16 ? .s16 : .s32
    track.frameSize = 256 * track.sampleRate / 245
    guard track.extradata.isEmpty else { return }
    // The last frame is shorter: its length follows from the number of samples.
    let count =
      Rational.nanoseconds.convert(
        mediaDuration ?? 0, to: Rational(1, Int32(clamping: max(1, track.sampleRate))))
    var header = LittleEndianBytes()
    header.bytes = Array("TTA1".utf8)
    header.add(UInt16(1))
    header.add(UInt16(clamping: track.channelLayout.channelCount))
    header.add(UInt16(clamping: bits))
    header.add(UInt32(clamping: track.sampleRate))
    header.add(UInt32(clamping: count))
    header.add(UInt32(0))
    track.extradata = header.bytes
  }
}
