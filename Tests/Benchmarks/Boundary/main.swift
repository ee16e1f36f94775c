import RespoolHost
import RespoolMedia

/// Sends packets to the decoder for PCM, receives its frames, and returns the nanoseconds of one send and receive.
///
/// The decoder is a plugin in Swift and hands the memory of a packet on as a frame. Nearly all time is that of the C
/// boundary on both of its sides. The median of `rounds` rounds counts.
///
///     boundary-benchmark
func measure(rounds: Int = 15, pairs: Int = 200_000) throws(MediaError) -> Double {
  let registry = PluginRegistry()
  guard let factory = registry.factories(.decoder).first(where: { $0.description.name == "pcm" })
  else { throw MediaError(.unsupported, "the plugin PCM is not beside this program") }
  var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: Rational(1, 48000))
  track.sampleRate = 48000
  track.channelLayout = .stereo
  let decoder = try DecoderInstance(factory, DecoderSettings(track: track), reason: "")
  let packet = Packet(
    track: 0, pts: 0, dts: 0, duration: 1024, flags: .key,
    payload: .bytes(MediaBuffer([UInt8](repeating: 0, count: 4096))))
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0...rounds {
    let start = clock.now
    for _ in 0..<pairs {
      guard case .accepted = try decoder.send(packet),
        case .value(let frame) = try decoder.receive(),
        frame.sampleCount == 1024
      else {
        throw MediaError(.pluginFailure, "the decoder does not return a frame for each packet")
      }
    }
    times.append((clock.now - start) / .nanoseconds(pairs))
  }
  // The first round warms caches and is not counted.
  return times.dropFirst().sorted()[rounds / 2]
}

print("\(Int(try measure().rounded())) ns")
