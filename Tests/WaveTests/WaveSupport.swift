import PluginHost
import RespoolMedia

/// Returns an audio track with a codec of WAVE files.
func samplesTrack(
  _ codec: String, bytes: Int, channels: Int = 2, rate: Int = 48_000,
  layout: ChannelLayout? = nil
) -> TrackDescription {
  var track = TrackDescription(
    kind: .audio, codec: codec, timeBase: Rational(1, Int32(rate)))
  track.sampleRate = rate
  track.channelLayout = layout ?? .standard(channels)
  track.blockAlign = bytes * track.channelLayout.channelCount
  return track
}

/// Returns `count` bytes that do not repeat soon.
func noise(_ count: Int) -> [UInt8] {
  var state: UInt32 = 1
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(state >> 24)
  }
}

func packet(
  _ bytes: [UInt8], pts: Int64 = 0, trimStart: Int64 = 0, trimEnd: Int64 = 0
) -> Packet {
  var packet = Packet(
    track: 0, pts: pts, dts: pts, flags: .key, payload: .bytes(MediaBuffer(bytes)))
  packet.trimStart = trimStart
  packet.trimEnd = trimEnd
  return packet
}

/// Returns a WAVE file with the packets.
func waveFile(
  _ track: TrackDescription, _ packets: [Packet], metadata: [MetadataEntry] = [],
  chapters: [MediaDescription.Chapter] = [], options: [PluginOption] = [], isStream: Bool = false
) throws -> MemoryFile {
  let file = MemoryFile(name: "test.wav")
  file.isStream = isStream
  let media = MediaDescription(
    format: "wav", tracks: [track], metadata: metadata, chapters: chapters)
  let muxer = try OpenMuxer(try LoadedPlugin("Wave"), "wav", media, file, options: options)
  for packet in packets { try muxer.write(packet) }
  try muxer.finish(media)
  return file
}

/// Returns the description and the audio bytes of a file.
func read(_ file: MemoryFile) throws -> (media: MediaDescription, bytes: [UInt8]) {
  let demuxer = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
  let packets = try demuxer.readAll()
  return (demuxer.media, packets.flatMap { $0.buffer.map { Array($0.readOnly) } ?? [] })
}

func text(_ bytes: [UInt8], _ range: Range<Int>) -> String {
  String(decoding: bytes[range], as: UTF8.self)
}

func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
  bytes.withUnsafeBytes {
    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
