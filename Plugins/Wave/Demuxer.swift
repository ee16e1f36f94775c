import RespoolPlugin

/// A demuxer for RIFF, RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088) wave files.
final class WaveDemuxer: Demuxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .demuxer, name: "wav", longName: "Waveform audio (RIFF, RF64, BW64)")
    description.tier = .preferred
    description.aliases = ["wave", "rf64", "bw64"]
    description.extensions = ["wav", "wave", "rf64", "bw64", "bwf"]
    description.mimeTypes = ["audio/wav", "audio/vnd.wave", "audio/x-wav"]
    let mask: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255]
    description.magics = ["RIFF", "RF64", "BW64"].map {
      FactoryDescription.Magic(Array("\($0)----WAVE".utf8), mask: mask)
    }
    return description
  }

  /// Scores a file lower if its start names a codec that this plugin does not support.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let score = description.score(bytes, name: name)
    guard score == 75 else { return score }
    do throws(MediaError) {
      var reader = ByteReader(Array(bytes.prefix(4096)))
      try reader.skip(12)
      while reader.remaining >= 8 {
        let chunk = try reader.text(4)
        let size = Int(try reader.little(UInt32.self))
        guard chunk != "fmt " else {
          _ = try WaveFormat(reader.sub(min(size, reader.remaining)))
          return 100
        }
        try reader.skip(size + size % 2)
      }
    } catch {
      return error.code == .unsupported ? 5 : score
    }
    return score
  }

  /// Maximum size of a packet in bytes, the same as FFmpeg's read size.
  private static let packetSize = 4096

  private let source: ByteSource
  private let format: WaveFormat
  let media: MediaDescription
  private let start: Int64
  /// End of the data.
  ///
  /// `nil` if it is the end of a source of unknown size.
  private let end: Int64?
  private var position: Int64
  /// Covers that have not been read yet.
  private var covers: [Packet] = []

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    let layout = try WaveLayout(source)
    self.source = source
    format = layout.format
    start = layout.dataStart
    position = start
    var track = format.track
    var duration: Int64?
    if let end = layout.dataEnd {
      var count = end - start
      // Incomplete samples are not audio.
      if !format.codec.isBlockCoded { count -= count % Int64(format.blockAlign) }
      self.end = start + count
      var samples = format.codec.samples(
        in: count, blockAlign: format.blockAlign, channels: format.channels)
      // The last block of a block codec may be padded; the fact chunk stores the number of valid samples.
      if format.codec.isBlockCoded, let fact = layout.sampleCount, fact > 0, fact <= samples {
        samples = fact
      }
      track.duration = samples
      duration = track.timeBase.convert(samples, to: .nanoseconds)
    } else {
      end = nil
    }
    var media = MediaDescription(
      format: "wav", tracks: [track], metadata: Self.entries(layout.tags), duration: duration,
      bitRate: track.bitRate, warning: layout.warning)
    media.endsEarly = layout.endsEarly
    media.nativeTags = layout.tags
    media.sideData = layout.records.sideData(of: track) + ID3Frame.records(layout.frames)
    let parts = Self.contradictions(layout.tags)
    if !parts.isEmpty { media.sideData.append(SideData(unwrittenElements: parts)) }
    media.chapters = layout.cuePoints.chapters(sampleRate: track.sampleRate, duration: duration)
    if media.chapters.isEmpty { media.chapters = layout.chapters }
    for image in layout.pictures {
      let picture = Array(image.file)
      guard let codec = PictureFile.codec(of: picture) else { continue }
      var cover = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90000))
      cover.id = Int64(media.tracks.count) + 1
      cover.disposition = .attachedPicture
      cover.metadata = PictureKind.metadata(Int(image.kind), title: image.title)
      covers.append(
        Packet(
          track: media.tracks.count, pts: 0, dts: 0, flags: .key,
          payload: .bytes(MediaBuffer(picture))))
      media.tracks.append(cover)
    }
    self.media = media
  }

  /// Returns one value per name, from the place with the most complete one.
  ///
  /// This is an ID3 tag, then the `INFO` list with one short value per name, then the Broadcast Wave
  /// extension with truncated fields.
  private static func entries(_ tags: [NativeTag]) -> [MetadataEntry] {
    var known: Set<String> = []
    var entries: [MetadataEntry] = []
    for keySpace in ["org.id3", "riff", "bext"] {
      let found = tags.filter { $0.keySpace == keySpace && !known.contains($0.name) }
      entries += NativeTag.entries(found) {
        ["COMM", "USLT"].contains($0.key.prefix { $0 != ":" })
      }
      known.formUnion(found.map(\.name))
    }
    return entries
  }

  /// Returns descriptions of the list's texts that differ from an ID3 tag of the same name.
  private static func contradictions(_ tags: [NativeTag]) -> [String] {
    var known: [String: String] = [:]
    for tag in tags where tag.keySpace == "org.id3" {
      known[tag.name, default: ""] += tag.value + "\n"
    }
    return tags.filter { $0.keySpace == "riff" && known[$0.name]?.contains($0.value) == false }
      .map { "other \($0.name) of the list INFO" }
  }

  func read() throws(MediaError) -> Packet? {
    if !covers.isEmpty { return covers.removeFirst() }
    let align = format.blockAlign
    let size = Int64(max(align, Self.packetSize / align * align))
    // Each GSM frame is a packet; other blocks are grouped up to the maximum size.
    let wanted = format.codec.name == "gsm_ms" ? Int64(align) : size
    let payload: Packet.Payload
    let length: Int64
    let left = end.map { min(wanted, $0 - position) } ?? wanted
    guard left > 0 else { return nil }
    if source.size != nil {
      length = left
      payload = .range(offset: position, length: length)
    } else {
      // The end of a source of unknown size is found only by reading.
      var bytes = try source.read(at: position, count: Int(left))
      if !format.codec.isBlockCoded { bytes.removeLast(bytes.count % align) }
      guard !bytes.isEmpty else { return nil }
      length = Int64(bytes.count)
      payload = .bytes(MediaBuffer(bytes))
    }
    let time = samples(in: position - start)
    var packet = Packet(
      track: 0, pts: time, dts: time, duration: samples(in: length), flags: .key,
      payload: payload)
    position += length
    // Samples in the last block after the stored duration are padding.
    if format.codec.isBlockCoded, let shown = media.tracks[0].duration,
      time + packet.duration > shown
    {
      packet.trimEnd = min(packet.duration, time + packet.duration - shown)
    }
    return packet
  }

  func seek(track: Int, to time: Int64) throws(MediaError) {
    let block = max(1, samples(in: Int64(format.blockAlign)))
    let (bytes, overflow) = (max(0, time) / block).multipliedReportingOverflow(
      by: Int64(format.blockAlign))
    let limit = (end ?? .max) - start
    position = start + (overflow ? limit : min(bytes, limit))
  }

  private func samples(in count: Int64) -> Int64 {
    format.codec.samples(in: count, blockAlign: format.blockAlign, channels: format.channels)
  }
}
