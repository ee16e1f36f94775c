import Glibc
import RespoolMedia

/// The measurement of audio tracks before an export, and the changes of level that follow from it.
///
/// Each track is decoded, filtered and mixed as in the export. A track whose peaks have to be limited is measured again
/// with the limiter, which changes the loudness, until the gain is right.
struct LoudnessPass {
  /// Result of a track.
  struct Result {
    /// Index of the source's track.
    var track: Int
    /// Loudness in LUFS before a change of level; `nil` for silence.
    var before: Double?
    /// Loudness in LUFS after it.
    var after: Double?
    /// Greatest true peak before a change of level; 1 is full scale.
    var peak: Double
  }

  /// Reads the tracks and pushes their frames through chains that end in a meter each, `tracks` by number.
  typealias Measure = ([Int: MeasuredAudio]) throws(MediaError) -> [Int: LoudnessMeter]

  /// Difference in LU at which a loudness counts as reached; EBU R 128 allows 0.5.
  private static let tolerance = 0.05
  /// A gain that is still wrong after so many passes is not going to be right.
  private static let passes = 8
  /// Decibels by which peaks may exceed the limit before they are limited.
  ///
  /// More would raise noise and change little else: only clicks are so much louder than the rest.
  private static let mostLimiting = 40.0

  /// Measures tracks, and gives those with a ``MeasuredAudio/target`` the level by which they reach it.
  static func run(_ tracks: inout [Int: MeasuredAudio], _ measure: Measure)
    throws(MediaError) -> [Result]
  {
    var results: [Int: Result] = [:]
    var left = tracks
    var tried: [Int: (gain: Double, loudness: Double)] = [:]
    var nearest: [Int: (level: AudioLevel, loudness: Double, distance: Double)] = [:]
    for pass in 0..<passes where !left.isEmpty {
      for (track, meter) in try measure(left) {
        guard var audio = left.removeValue(forKey: track) else { continue }
        let loudness = meter.integrated
        if pass == 0 {
          results[track] = Result(
            track: track, before: loudness, after: loudness, peak: meter.truePeak)
        } else {
          results[track]?.after = loudness
        }
        guard let target = audio.target, let loudness else { continue }
        let missing = target.loudness - loudness
        let peakLevel = 20 * log10(max(results[track]?.peak ?? 0, 1e-10))
        if nearest[track].map({ abs(missing) < $0.distance }) ?? true {
          let ceiling = peakLevel > target.truePeak ? target.truePeak : nil
          let level = audio.level ?? AudioLevel(gain: 0, ceiling: ceiling)
          nearest[track] = (level, loudness, abs(missing))
        }
        guard pass == 0 || abs(missing) > tolerance else { continue }
        // A limiter takes a part of each further decibel, as of the one before.
        var slope = 1.0
        if let former = tried[track], let last = audio.level?.gain, last > former.gain {
          slope = min(1, max(0.2, (loudness - former.loudness) / (last - former.gain)))
        }
        tried[track] = (audio.level?.gain ?? 0, loudness)
        let greatest = target.truePeak - peakLevel + mostLimiting
        let gain = min(greatest, (audio.level?.gain ?? 0) + missing / slope)
        let isLimited = audio.level?.ceiling != nil || peakLevel + gain > target.truePeak
        // The greatest gain has been measured.
        if let last = audio.level?.gain, abs(gain - last) < 0.01 { continue }
        if pass + 1 < passes || !isLimited {
          audio.level = AudioLevel(gain: gain, ceiling: isLimited ? target.truePeak : nil)
          tracks[track] = audio
        }
        if isLimited { left[track] = audio } else { results[track]?.after = target.loudness }
      }
    }
    for (track, best) in nearest where tracks[track]?.level?.ceiling != nil {
      guard let target = tracks[track]?.target, let after = results[track]?.after,
        abs(after - target.loudness) > tolerance
      else { continue }
      tracks[track]?.level = best.level
      results[track]?.after = best.loudness
    }
    return results.values.sorted { $0.track < $1.track }
  }
}

extension LoudnessPass.Result {
  /// Returns a sentence about what a conversion does with the loudness of the track.
  func note(_ audio: MeasuredAudio) -> String? {
    guard let target = audio.target else { return nil }
    let name = "\(TrackNumber(index: track))"
    guard let before, let after, let level = audio.level else {
      // Samples of floating point may be any numbers.
      let reason =
        peak.isFinite && peak <= 1000
        ? "no part of it is louder than -70 LUFS" : "its samples are far out of range"
      return "\(name): the loudness stays, because \(reason)"
    }
    let gain = Self.rounded(level.gain)
    var words =
      "\(name): the loudness was \(Self.rounded(before)) LUFS and is \(Self.rounded(after)) before it is encoded, by a gain of \(gain) dB"
    if level.ceiling != nil { words += " and a limit of \(target.truePeak.decimalText) dBTP" }
    if abs(after - target.loudness) > 0.2 {
      words += "; \(target.loudness.decimalText) LUFS cannot be reached below this limit"
    }
    return words
  }

  /// Returns tags by which players give the track the loudness of others; none for silence.
  ///
  /// ReplayGain 2.0 has a reference of -18 LUFS. Opus in Ogg has one of -23 LUFS, in units of 1/256 dB (RFC 7845,
  /// 5.2.1).
  func tags(ofOggOpus isOggOpus: Bool) -> [MetadataEntry] {
    guard let before else { return [] }
    if isOggOpus {
      let gain = ((-23 - before) * 256).rounded()
      return [MetadataEntry("R128_TRACK_GAIN", "\(Int(max(-32768, min(32767, gain))))")]
    }
    func fixed(_ value: Double, _ digits: Int) -> String {
      let scale = pow(10, Double(digits))
      let whole = Int64((abs(value) * scale).rounded())
      let decimals = "\(whole % Int64(scale))"
      let zeros = String(repeating: "0", count: digits - decimals.utf8.count)
      return (value < 0 && whole > 0 ? "-" : "") + "\(whole / Int64(scale)).\(zeros)\(decimals)"
    }
    return [
      MetadataEntry("REPLAYGAIN_TRACK_GAIN", "\(fixed(-18 - before, 2)) dB"),
      MetadataEntry("REPLAYGAIN_TRACK_PEAK", fixed(peak, 6)),
    ]
  }

  static func rounded(_ value: Double) -> String { ((value * 10).rounded() / 10).decimalText }
}
