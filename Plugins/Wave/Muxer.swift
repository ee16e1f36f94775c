import ID3
import PCMWriting
import RespoolPlugin

/// A muxer for RIFF wave files, which become RF64 (EBU Tech 3306) if they exceed 4 GiB.
final class WaveMuxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "wav", longName: "Waveform audio (RIFF, RF64)")
    description.tier = .preferred
    description.aliases = ["wave"]
    description.extensions = ["wav", "wave"]
    description.mimeTypes = ["audio/wav", "audio/vnd.wave", "audio/x-wav"]
    description.codecs = audioCodecs + FileTag.pictureCodecs
    description.channelCounts = 1...64
    description.flags = .keepsChapters
    description.options = [
      OptionSchema(
        "rf64", .choice(["auto", "always"]), default: "auto",
        help: "RF64 header: only for files over 4 GiB, or always")
    ]
    return description
  }

  static let audioCodecs = [
    "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_u8", "pcm_alaw",
    "pcm_mulaw",
  ]

  private let sink: ByteSink
  private let media: MediaDescription
  private let audio: Int
  private let track: TrackDescription
  /// The covers that have come, by track.
  private var covers: [Int: [UInt8]] = [:]
  private let isBroadcast: Bool
  private let alwaysLarge: Bool
  /// Offset of the sample count in the `fact` chunk.
  ///
  /// `nil` if there is no such chunk.
  private let factOffset: Int64?
  /// Offset of the payload of `data`.
  private let dataStart: Int64
  private var samples: PCMDataWriter

  static func check(_ track: TrackDescription) throws(MediaError) {
    guard track.kind == .audio else { return try FileTag.check(track, "wav") }
    try check(track, format: "wav")
  }

  /// Throws `unsupported` if files of a format with the same codecs cannot store the track.
  static func check(_ track: TrackDescription, format: String) throws(MediaError) {
    guard audioCodecs.contains(track.codec) else {
      throw MediaError(
        .unsupported,
        "\(format) does not carry \(track.codec); it carries "
          + audioCodecs.joined(separator: ", "))
    }
    let channels = track.channelLayout.channelCount
    guard (1...64).contains(channels), track.sampleRate > 0 else {
      throw MediaError(
        .unsupported,
        "\(channels.counting("channel")) at \(track.sampleRate) Hz; \(format) takes 1 to 64 at 1 Hz "
          + "or more"
      )
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    audio = try FileTag.audioTrack(of: media, "wav")
    let track = media.tracks[audio]
    guard let coding = WaveCoding(track.codec) else {
      throw MediaError(.internal, "the muxer declares \(track.codec), which has no writer")
    }
    (self.sink, self.media) = (sink, media)
    self.track = track
    alwaysLarge = settings.options.last { $0.name == "rf64" }?.value == "always"

    var header = LittleEndianBytes()
    header.bytes += Array("RIFF".utf8)
    header.add(UInt32.max)
    header.bytes += Array("WAVE".utf8)
    // Reserves space for ds64.
    if sink.isSeekable {
      header.add(chunk: "JUNK", Array(repeating: 0, count: LargeSizes.byteCount))
    }
    header.add(chunk: "fmt ", WaveFormat.chunk(for: track))
    // Every format except PCM must store its number of samples.
    if coding.tag != 1, sink.isSeekable {
      factOffset = Int64(header.bytes.count + 8)
      header.add(chunk: "fact", [0, 0, 0, 0])
    } else {
      factOffset = nil
    }
    let records = WaveSourceRecords(media.sideData, for: track)
    let broadcast = BroadcastExtension.body(media.metadata, source: records.broadcast)
    if let broadcast { header.add(chunk: "bext", broadcast) }
    isBroadcast = broadcast != nil
    Self.addTags(media, isBroadcast: isBroadcast, to: &header)
    if let places = records.places {
      for chunk in places { header.add(chunk) }
    } else {
      header.bytes += CuePoints.chunks(media.chapters, sampleRate: track.sampleRate)
    }
    for chunk in records.chunks { header.add(chunk) }
    header.bytes += Array("data".utf8)
    header.add(UInt32.max)
    dataStart = Int64(header.bytes.count)
    samples = PCMDataWriter(
      track, audio, bytesPerSample: coding.bytes, silence: coding.silence, format: "wav",
      to: sink)
    try sink.write(header.bytes)
  }

  /// Writes a list of type `INFO`, or an ID3 tag if the list cannot store all tags.
  ///
  /// Does not write both: libavformat ignores ID3 in a file that has a list, so players based on it would
  /// find less. Broadcast Wave always has a list, for studio software. A tag with covers is after the audio.
  private static func addTags(
    _ media: MediaDescription, isBroadcast: Bool, to header: inout LittleEndianBytes
  ) {
    let others = media.metadata.filter(ID3TagWriter.isNeeded(for:))
    let frames = media.sideData.flatMap { ID3Frame.frames(in: $0) }
    let hasID3 =
      media.tracks.count > 1 || !others.isEmpty || !frames.isEmpty
      || !isBroadcast && ID3TagWriter.saysMoreThanAList(media)
    if !hasID3 || isBroadcast, let info = InfoList.body(media.metadata) {
      header.add(chunk: "LIST", info)
    }
    guard hasID3, media.tracks.count == 1 else { return }
    if let tag = tag(media, isBroadcast: isBroadcast).tag { header.add(chunk: "id3 ", tag) }
  }

  /// Returns an ID3 tag without covers.
  private static func tag(_ media: MediaDescription, isBroadcast: Bool) -> ID3TagWriter {
    var writer = ID3TagWriter(media)
    writer.repeatsLyrics = true
    let entries =
      isBroadcast ? media.metadata.filter(ID3TagWriter.isNeeded(for:)) : media.metadata
    writer.add(entries.filter(ID3TagWriter.isWrittenToWave))
    // The chunk of cue points has the chapters.
    writer.add(media.sideData.flatMap { ID3Frame.frames(in: $0) }.filter { $0.name != "CHAP" })
    return writer
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio
      ? Rational(1, Int32(clamping: self.track.sampleRate)) : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard packet.track != audio else { return try samples.write(packet) }
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "a cover is a range, not bytes", track: packet.track)
    }
    if covers[packet.track] == nil { covers[packet.track] = Array(buffer.readOnly) }
  }

  /// Writes the tag with the covers after the audio, as covers may arrive late.
  private func writeCovers() throws(MediaError) {
    guard media.tracks.count > 1 else { return }
    var writer = Self.tag(media, isBroadcast: isBroadcast)
    for (index, track) in media.tracks.enumerated() where index != audio {
      let picture = track.kind == .attachment ? track.extradata : covers[index]
      if let picture { writer.add(picture: picture, of: track) }
    }
    guard let tag = writer.tag else { return }
    var chunk = LittleEndianBytes()
    chunk.add(chunk: "id3 ", tag)
    try sink.write(chunk.bytes)
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let dataSize = sink.size - dataStart
    if dataSize % 2 == 1 { try sink.write([0]) }
    try writeCovers()
    guard sink.isSeekable else { return }
    let riffSize = sink.size - 8
    if alwaysLarge || riffSize > Int64(UInt32.max) {
      let sizes = LargeSizes(riff: riffSize, data: dataSize, samples: samples.count)
      try sink.overwrite(at: 0, with: Array("RF64".utf8))
      try sink.overwrite(at: 12, with: sizes.chunk)
      try overwrite(at: factOffset, with: .max)
    } else {
      try overwrite(at: 4, with: UInt32(clamping: riffSize))
      try overwrite(at: dataStart - 4, with: UInt32(clamping: dataSize))
      try overwrite(at: factOffset, with: UInt32(clamping: samples.count))
    }
  }

  private func overwrite(at offset: Int64?, with number: UInt32) throws(MediaError) {
    guard let offset else { return }
    var bytes = LittleEndianBytes()
    bytes.add(number)
    try sink.overwrite(at: offset, with: bytes.bytes)
  }
}

/// The `ds64` chunk (EBU Tech 3306, 3.3): sizes that do not fit into 32 bits.
struct LargeSizes {
  static let byteCount = 28

  var riff: Int64
  var data: Int64
  var samples: Int64

  var chunk: [UInt8] {
    var body = LittleEndianBytes()
    body.add(riff)
    body.add(data)
    body.add(samples)
    body.add(UInt32(0))  // No table of further sizes.
    var chunk = LittleEndianBytes()
    chunk.add(chunk: "ds64", body.bytes)
    return chunk.bytes
  }
}
