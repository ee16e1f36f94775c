import PluginHost
import RespoolMedia

/// Returns a stereo track as described by the Opus encoder.
func opusTrack(preSkip: UInt16 = 312) -> TrackDescription {
  var track = TrackDescription(kind: .audio, codec: "opus", timeBase: Rational(1, 48000))
  track.extradata = OpusConfiguration(channelCount: 2, preSkip: preSkip).head
  track.sampleRate = 48000
  track.channelLayout = .stereo
  track.initialPadding = Int(preSkip)
  return track
}

/// Returns packets of 20 ms (CELT, full band, stereo) with different bytes, the first at `start`.
func opusPackets(_ count: Int, from start: Int64 = -312, size: Int = 100) -> [Packet] {
  (0..<count).map { index in
    var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)
    bytes[0] = 0xFC
    let time = start + Int64(index) * 960
    return Packet(
      track: 0, pts: time, dts: time, duration: 960, flags: .key,
      payload: .bytes(MediaBuffer(bytes)))
  }
}

func oggFile(
  _ packets: [Packet], tracks: [TrackDescription] = [opusTrack()], metadata: [MetadataEntry] = []
) throws -> [UInt8] {
  let file = MemoryFile(name: "test.opus")
  let media = MediaDescription(format: "ogg", tracks: tracks, metadata: metadata)
  let muxer = try OpenMuxer(try LoadedPlugin("Ogg"), "ogg", media, file)
  for packet in packets { try muxer.write(packet) }
  try muxer.finish(media)
  return file.bytes
}

func openOgg(_ bytes: [UInt8]) throws -> OpenDemuxer {
  try OpenDemuxer(try LoadedPlugin("Ogg"), "ogg", MemoryFile(bytes, name: "test.opus"))
}

/// The fields of a page that tests check.
struct Page {
  var flags: UInt8
  var granule: Int64
}

func pages(_ bytes: [UInt8]) throws -> [Page] {
  var reader = ByteReader(bytes)
  var result: [Page] = []
  while !reader.isAtEnd {
    guard try reader.text(4) == "OggS" else { break }
    try reader.skip(1)
    let flags = try reader.u8()
    let granule = try reader.little(Int64.self)
    try reader.skip(12)
    let segments = Int(try reader.u8())
    let body = try reader.take(segments).reduce(0) { $0 + Int($1) }
    try reader.skip(body)
    result.append(Page(flags: flags, granule: granule))
  }
  return result
}
