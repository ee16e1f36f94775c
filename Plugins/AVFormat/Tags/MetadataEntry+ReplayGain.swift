import CAVFormat
import RespoolPlugin

extension MetadataEntry {
  /// Returns the gain and the peak in a stream's header, such as LAME's in MP3, as tags that other containers
  /// use.
  ///
  /// ReplayGain 1.0: gain in dB, peak as a fraction of full scale. Unknown values have no tag.
  static func replayGain(of stream: UnsafeMutablePointer<AVStream>) -> [MetadataEntry] {
    guard let bytes = TrackDescription.sideData(stream, AV_PKT_DATA_REPLAYGAIN),
      bytes.count >= MemoryLayout<AVReplayGain>.size
    else { return [] }
    let value = bytes.loadUnaligned(as: AVReplayGain.self)
    var entries: [MetadataEntry] = []
    func add(_ name: String, gain: Int32, peak: UInt32) {
      // Gain is in units of 0.00001 dB, INT32_MIN if unknown. Peak is in 0.00001 of full scale, 0 if unknown.
      if gain != .min {
        entries.append(
          MetadataEntry("REPLAYGAIN_\(name)_GAIN", "\(fixed(Int64(gain) / 1000, digits: 2)) dB"))
      }
      if peak != 0 {
        entries.append(
          MetadataEntry("REPLAYGAIN_\(name)_PEAK", fixed(Int64(peak) * 10, digits: 6)))
      }
    }
    add("TRACK", gain: value.track_gain, peak: value.track_peak)
    add("ALBUM", gain: value.album_gain, peak: value.album_peak)
    return entries
  }

  /// Formats a number of decimal units, such as 123 with two digits as `1.23`.
  private static func fixed(_ value: Int64, digits: Int) -> String {
    let text = String(value.magnitude)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return (value < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
  }
}
