import RespoolHost
import RespoolMedia

/// Checks that the configuration record of an encoder's track can be parsed, and fits the track and the packets.
struct ConfigurationChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    report.check("\(trial.codec): configuration record") { () throws(Finding) in
      let encoding = try trial.encoding.get()
      return try Self.check(encoding.track, encoding.packets, sampleCount: encoding.sampleCount)
    }
  }

  private static let needed: Set<String> = [
    "h264", "hevc", "av1", "aac", "opus", "flac", "vorbis", "alac",
  ]

  /// Returns `true` for codecs that have no configuration record, whose extradata muxers drop.
  static func hasNone(_ codec: String) -> Bool {
    codec.hasPrefix("pcm_")
      || ["mp1", "mp2", "mp3", "ac3", "eac3", "dts", "truehd"].contains(codec)
  }

  /// Checks a track and its packets.
  static func check(_ track: TrackDescription, _ packets: [Packet], sampleCount: Int64)
    throws(Finding) -> String
  {
    guard !track.extradata.isEmpty else {
      guard !needed.contains(track.codec) else {
        throw Finding("the track has no extradata; \(track.codec) needs its configuration record")
      }
      try PacketFraming(track: track, packets: packets).check()
      return "\(track.codec) needs none"
    }
    guard !hasNone(track.codec) else {
      throw Finding(
        "the track has \(track.extradata.count.counting("byte")) of extradata; \(track.codec) has no "
          + "configuration record")
    }
    switch track.codec {
    case "h264": try AVCConfigurationCheck(track: track, packets: packets).run()
    case "hevc": try HEVCConfigurationCheck(track: track, packets: packets).run()
    case "av1": try AV1ConfigurationCheck(track: track, packets: packets).run()
    case "vp8", "vp9":
      _ = try parsed("vpcC") { () throws(MediaError) in
        try VPCodecConfiguration(boxBody: track.extradata)
      }
    case "aac", "opus", "flac", "vorbis":
      try AudioConfigurationCheck(track: track, sampleCount: sampleCount).run()
    default:
      throw .skipped(
        "the verifier does not know the configuration record of \(track.codec), of "
          + track.extradata.count.counting("byte"))
    }
    try PacketFraming(track: track, packets: packets).check()
    return "fits the track and the packets"
  }

  /// Returns the parsed record.
  static func parsed<Record>(_ name: String, _ body: () throws(MediaError) -> Record)
    throws(Finding) -> Record
  {
    do throws(MediaError) { return try body() } catch {
      throw Finding("the configuration record \(name) cannot be parsed: \(error.message)")
    }
  }
}
