import RespoolPlugin

/// A muxer for Opus in Ogg (RFC 7845).
///
/// Ogg cannot delay audio or leave a gap in it. Both are filled with packets without data, which every
/// decoder turns into silence.
final class OggMuxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(kind: .muxer, name: "ogg", longName: "Ogg (Opus)")
    description.tier = .preferred
    description.flags = [.needsBytes, .keepsChapters]
    description.aliases = ["opus", "oga"]
    description.extensions = ["opus", "ogg", "oga"]
    description.mimeTypes = ["audio/ogg", "audio/opus"]
    description.codecs = ["opus", "mjpeg", "png"]
    description.channelCounts = 1...255
    return description
  }

  /// Maximum duration of a page: RFC 7845 4.2 requires at most one second.
  private static let pageDuration: Int64 = 48000
  /// The shortest Opus frame.
  ///
  /// Smaller differences result from coarse time bases.
  private static let shortestFrame: Int64 = 120
  /// Maximum silence to fill.
  ///
  /// A longer gap is treated as an error.
  private static let silenceLimit: Int64 = 3600 * 48000
  private static let serial: UInt32 = 1

  private let sink: ByteSink
  private let media: MediaDescription
  private let audio: Int
  private var configuration: OpusConfiguration
  private let writer: OggPageWriter
  private var covers: [Int: FLACPicture] = [:]
  private let coverCount: Int
  /// Audio packets that arrived before the covers.
  private var early: [Packet] = []
  private var hasHeaders = false
  /// The last packet, held back because the last packet of the stream is marked.
  private var held: (bytes: [UInt8], end: Int64, trimEnd: Int64)?
  /// Granule position after the last packet received.
  private var position: Int64 = 0
  /// Granule position at the end of the completed pages.
  private var flushed: Int64 = 0

  static func check(_ track: TrackDescription) throws(MediaError) {
    if track.disposition.contains(.attachedPicture) {
      guard FLACPicture.mimeType(ofCodec: track.codec) != nil else {
        throw MediaError(.unsupported, "ogg carries covers in JPEG and PNG, not \(track.codec)")
      }
      return
    }
    guard track.kind == .audio, track.codec == "opus" else {
      throw MediaError(.unsupported, "ogg carries opus, not \(track.codec)")
    }
    guard track.extradata.isEmpty else {
      _ = try OpusConfiguration(head: track.extradata)
      return
    }
    guard (1...2).contains(track.channelLayout.channelCount) else {
      throw MediaError(
        .unsupported, "Opus of \(track.channelLayout.channelCount) channels has no OpusHead")
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    let audioTracks = media.tracks.indices.filter { media.tracks[$0].kind == .audio }
    guard audioTracks.count == 1, let audio = audioTracks.first else {
      throw MediaError(.unsupported, "\(audioTracks.count) audio tracks; ogg takes exactly one")
    }
    let track = media.tracks[audio]
    configuration =
      track.extradata.isEmpty
      ? OpusConfiguration(
        channelCount: UInt8(clamping: track.channelLayout.channelCount),
        preSkip: UInt16(clamping: track.initialPadding))
      : try OpusConfiguration(head: track.extradata)
    self.sink = sink
    self.media = media
    self.audio = audio
    coverCount = media.tracks.count - 1
    writer = OggPageWriter(serial: Self.serial)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio ? Rational(1, 48000) : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "ogg needs the bytes of a packet, not a range")
    }
    guard packet.track == audio else {
      let track = media.tracks[packet.track]
      guard covers[packet.track] == nil,
        let mimeType = FLACPicture.mimeType(ofCodec: track.codec)
      else { return }
      var cover = FLACPicture(
        mimeType: mimeType, width: track.width, height: track.height, data: Array(buffer.readOnly))
      let kind = PictureKind.number(in: track.metadata) ?? PictureKind.frontCover
      cover.type = UInt32(kind)
      cover.description = track.metadata.first { $0.name.lowercased() == "title" }?.value ?? ""
      covers[packet.track] = cover
      return try writeEarly()
    }
    // A missing cover must not hold back more than some seconds of audio.
    if !hasHeaders, covers.count < coverCount, early.count < 1000 {
      early.append(packet)
    } else {
      try writeEarly(force: true)
      try append(packet, buffer)
    }
  }

  private func writeEarly(force: Bool = false) throws(MediaError) {
    guard force || covers.count == coverCount else { return }
    let packets = early
    early = []
    for packet in packets {
      if let buffer = packet.buffer { try append(packet, buffer) }
    }
  }

  private func append(_ packet: Packet, _ buffer: MediaBuffer) throws(MediaError) {
    guard let duration = OpusPacket.duration(of: buffer.readOnly.prefix(2)) else {
      throw MediaError(
        .malformed, "a packet of \(buffer.count) bytes is not an Opus packet", track: packet.track)
    }
    let time = packet.pts ?? position - Int64(configuration.preSkip)
    try writeHeaders(firstTime: time)
    let granule = time.addingClamped(Int64(configuration.preSkip))
    // Audio that was already written, such as around an edit, must not be written twice.
    if granule.addingClamped(Int64(duration)) <= position { return }
    try fill(to: granule)
    try queue(
      Array(buffer.readOnly), duration: Int64(duration),
      trimEnd: min(max(0, packet.trimEnd), Int64(duration)))
  }

  /// Fills a gap with packets of up to 20 ms without data (RFC 7845 4.1).
  private func fill(to granule: Int64) throws(MediaError) {
    guard granule.subtractingClamped(position) <= Self.silenceLimit else {
      throw MediaError(
        .limitExceeded, "the audio has a gap of over an hour; shorter gaps become silence",
        track: audio)
    }
    while granule - position >= Self.shortestFrame {
      let frames = (granule - position) / Self.shortestFrame
      // CELT, full band: 2.5, 5, 10 and 20 ms are configurations 28 to 31 (RFC 6716 table 2).
      let size = min(3, 63 - frames.leadingZeroBitCount)
      let count = configuration.streamCount
      var bytes: [UInt8] = []
      for stream in 0..<count {
        let isStereo =
          configuration.mapping.map { stream < Int($0.coupledCount) }
          ?? (configuration.channelCount == 2)
        bytes.append(UInt8(28 + size) << 3 | (isStereo ? 4 : 0))
        // All streams except the last store their length (RFC 6716 appendix B).
        if stream < count - 1 { bytes.append(0) }
      }
      try queue(bytes, duration: Self.shortestFrame << Int64(size), trimEnd: 0)
    }
  }

  private func queue(_ bytes: [UInt8], duration: Int64, trimEnd: Int64) throws(MediaError) {
    try writeHeld(isLast: false)
    position = position.addingClamped(duration)
    held = (bytes, position, trimEnd)
  }

  private func writeHeld(isLast: Bool) throws(MediaError) {
    guard let held else { return }
    if held.end - flushed > Self.pageDuration, writer.isFilled {
      try sink.write(writer.flush())
      flushed = writer.granule
    }
    // RFC 7845 4.4: the last granule position trims the end.
    let granule = isLast ? held.end - held.trimEnd : held.end
    writer.append(held.bytes, granule: granule, isLast: isLast)
    self.held = nil
  }

  private func writeHeaders(firstTime: Int64) throws(MediaError) {
    guard !hasHeaders else { return }
    hasHeaders = true
    // The first packet's time is the hidden duration, even if an edit list hides more than the encoder delay.
    if firstTime <= 0 { configuration.preSkip = UInt16(clamping: firstTime.magnitude) }
    writer.append(configuration.head, granule: 0)
    try sink.write(writer.flush())
    let ofTrack = media.tracks[audio].metadata.filter { !media.metadata.contains($0) }
    var fields = VorbisComments.fields(of: media, and: ofTrack)
    fields += VorbisComments.fields(media.chapters)
    for index in covers.keys.sorted() {
      guard let cover = covers[index] else { continue }
      fields.append(MetadataEntry(VorbisComments.pictureField, Base64.encode(cover.block)))
    }
    let comments = VorbisComments(vendor: "respool", fields: fields)
    writer.append(OpusTags.bytes(comments), granule: 0)
    // RFC 7845 4: audio starts on a new page.
    try sink.write(writer.flush())
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    try writeEarly(force: true)
    try writeHeaders(firstTime: -Int64(configuration.preSkip))
    // A stream without audio still needs a last packet.
    if held == nil { try fill(to: Self.shortestFrame) }
    try writeHeld(isLast: true)
    try sink.write(writer.flush())
  }
}
