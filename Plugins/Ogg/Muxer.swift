import RespoolPlugin
import Xiph

/// A muxer for Opus, Vorbis and FLAC in Ogg (RFC 3533).
///
/// Opus in Ogg cannot delay audio or leave a gap in it. Both are filled with packets without data, which every
/// decoder turns into silence. The other codecs leave gaps between granule positions.
///
/// Chained streams of the source, of which each hides audio at its start or end, become chained streams (RFC 3533 4).
final class OggMuxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "ogg", longName: "Ogg (Opus, Vorbis, FLAC)")
    description.tier = .preferred
    description.flags = [.needsBytes, .keepsChapters]
    description.aliases = ["opus", "oga"]
    description.extensions = ["opus", "ogg", "oga"]
    description.mimeTypes = ["audio/ogg", "audio/opus"]
    description.codecs = [
      "opus", "vorbis", "flac", "mjpeg", "png", "gif", "webp", "bmp", "tiff", "bin_data",
    ]
    description.channelCounts = 1...255
    return description
  }

  /// Maximum silence to fill in seconds.
  ///
  /// A longer gap is treated as an error.
  private static let silenceLimit: Int64 = 3600
  /// Difference in time, in seconds, up to which packets follow each other: those of coarse time bases.
  private static let tolerance = 0.1
  /// Seconds of silence of a stream of Opus without audio.
  private static let shortestSilence = 0.0025
  private static let firstSerial: UInt32 = 1

  private let sink: ByteSink
  private let media: MediaDescription
  private let audio: Int
  private var mapping: any OggMapping
  private var writer: OggPageWriter
  private var serial = OggMuxer.firstSerial
  /// Presentation time at which the current stream begins.
  private var streamStart: Int64 = 0
  private var covers: WaitingCovers
  private var hasHeaders = false
  /// `true` after the first packet with audio.
  private var hasStarted = false
  /// `true` after the first packet of the stream with audio that is presented.
  private var hasShown = false
  /// `true` after the first page with audio.
  private var hasAudioPage = false
  /// The last packet, held back because the last packet of the stream is marked.
  ///
  /// `trimEnd` also has the length of packets before it that are hidden.
  private var held: (bytes: [UInt8], end: Int64, trimEnd: Int64)?
  /// Granule position after the last packet received.
  private var position: Int64 = 0
  /// Granule position at the end of the completed pages.
  private var flushed: Int64 = 0

  static func check(_ track: TrackDescription) throws(MediaError) {
    if track.disposition.contains(.attachedPicture) {
      guard FLACPicture.mimeType(ofCodec: track.codec) != nil else {
        throw MediaError(.unsupported, "ogg does not carry covers of the codec \(track.codec)")
      }
      return
    }
    if track.kind == .attachment {
      guard FLACPicture(attached: track) != nil else {
        throw MediaError(.unsupported, "ogg stores only pictures, no other attached files")
      }
      return
    }
    _ = try mapping(of: track)
  }

  private static func mapping(of track: TrackDescription) throws(MediaError) -> any OggMapping {
    switch track.codec {
    case "opus" where track.kind == .audio: return try OpusMapping(track)
    case "vorbis" where track.kind == .audio: return try VorbisMapping(track)
    case "flac" where track.kind == .audio: return try FLACMapping(track)
    default:
      throw MediaError(.unsupported, "ogg carries opus, vorbis and flac, not \(track.codec)")
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    let audioTracks = media.tracks.indices.filter { media.tracks[$0].kind == .audio }
    guard audioTracks.count == 1, let audio = audioTracks.first else {
      throw MediaError(.unsupported, "\(audioTracks.count) audio tracks; ogg takes exactly one")
    }
    mapping = try Self.mapping(of: media.tracks[audio])
    self.sink = sink
    self.media = media
    self.audio = audio
    covers = WaitingCovers(media.tracks)
    writer = OggPageWriter(serial: serial)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio ? mapping.timeBase : Rational(1, 1000)
  }

  /// Returns a number of seconds in granule positions.
  private func granules(_ seconds: Double) -> Int64 {
    Int64((seconds / mapping.timeBase.doubleValue).rounded())
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard packet.buffer != nil else {
      throw MediaError(.invalidArgument, "ogg needs the bytes of a packet, not a range")
    }
    for packet in covers.add(packet, isAudio: packet.track == audio) { try append(packet) }
  }

  private func append(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else { return }
    if beginsStream(packet) { try beginStream() }
    let duration = try buffer.withBytes { (bytes) throws(MediaError) in
      try mapping.duration(of: bytes)
    }
    let start = packet.pts ?? streamStart.addingClamped(position - mapping.preSkip)
    let time = start.subtractingClamped(streamStart)
    try writeHeaders(firstTime: time)
    let granule = time.addingClamped(mapping.preSkip)
    // Audio that was already written, such as around an edit, must not be written twice.
    if duration > 0, granule.addingClamped(duration) <= position { return }
    if duration > 0 { try move(to: granule) }
    var trimEnd = min(max(0, packet.trimEnd), duration)
    if packet.flags.contains(.discard), hasShown {
      trimEnd = duration.addingClamped(held?.trimEnd ?? 0)
    } else if !packet.flags.contains(.discard) {
      hasShown = true
    }
    try queue(Array(buffer.readOnly), duration: duration, trimEnd: trimEnd)
  }

  /// Returns `true` if a packet is the first one of a chained stream whose start or the end before it is hidden.
  ///
  /// The first packet of Vorbis gives no audio (Vorbis I 4.3.8). FLAC hides none.
  private func beginsStream(_ packet: Packet) -> Bool {
    guard packet.flags.contains(.discontinuity), hasShown, let held else { return false }
    return held.trimEnd > 0 || packet.trimStart > 0 || packet.flags.contains(.discard)
      || mapping.hasShortFirstPage
  }

  /// Ends the stream and begins another one at the end of its audio.
  private func beginStream() throws(MediaError) {
    let end = held.map { $0.end - $0.trimEnd } ?? position
    streamStart = streamStart.addingClamped(end - mapping.preSkip)
    try writeHeld(isLast: true)
    try flush()
    serial += 1
    writer = OggPageWriter(serial: serial)
    mapping = try Self.mapping(of: media.tracks[audio])
    (position, flushed) = (0, 0)
    (hasHeaders, hasStarted, hasAudioPage, hasShown) = (false, false, false, false)
  }

  /// Fills the gap before the next packet, or leaves it if the codec has no silence.
  private func move(to granule: Int64) throws(MediaError) {
    defer { hasStarted = true }
    guard granule.subtractingClamped(position) <= granules(Double(Self.silenceLimit)) else {
      throw MediaError(
        .limitExceeded, "the audio has a gap of over an hour; shorter gaps become silence",
        track: audio)
    }
    while let silence = mapping.silence(granule - position) {
      try queue(silence.bytes, duration: silence.duration, trimEnd: 0)
    }
    guard mapping.preSkip == 0 else { return }
    // Audio before 0 is not presented (Vorbis I A.2).
    if !hasStarted, granule < 0 || granule > granules(Self.tolerance) {
      position = granule
    } else if granule - position > granules(Self.tolerance) {
      // A page states where its last packet ends, so a gap is only between pages.
      try writeHeld(isLast: false)
      try flush()
      position = granule
    }
  }

  private func queue(_ bytes: [UInt8], duration: Int64, trimEnd: Int64) throws(MediaError) {
    try writeHeld(isLast: false)
    position = position.addingClamped(duration)
    held = (bytes, position, trimEnd)
  }

  private func flush() throws(MediaError) {
    guard writer.isFilled else { return }
    try sink.write(writer.flush())
    flushed = writer.granule
    hasAudioPage = true
  }

  private func writeHeld(isLast: Bool) throws(MediaError) {
    guard let held else { return }
    // A page lasts at most one second, as RFC 7845 4.2 requires.
    if held.end - flushed > granules(1) { try flush() }
    // RFC 7845 4.4 and Vorbis I A.2: the last granule position trims the end.
    let granule = isLast ? held.end - held.trimEnd : held.end
    writer.append(held.bytes, granule: granule, isLast: isLast)
    self.held = nil
    if mapping.hasShortFirstPage, !hasAudioPage, granule > 0, !isLast { try flush() }
  }

  private func writeHeaders(firstTime: Int64) throws(MediaError) {
    guard !hasHeaders else { return }
    hasHeaders = true
    mapping.begin(at: firstTime)
    var comments = VorbisComments(file: media, audio: media.tracks[audio])
    let pictures = covers.pictures + media.tracks.compactMap { FLACPicture(attached: $0) }
    comments.fields += pictures.map {
      MetadataEntry(VorbisComments.pictureField, Base64.encode($0.block))
    }
    // The first header has a page of its own, and audio starts on a new page (RFC 7845 4, Vorbis I A.2).
    for (index, header) in try mapping.headers(comments).enumerated() {
      writer.append(header, granule: 0)
      if index == 0 { try sink.write(writer.flush()) }
    }
    try sink.write(writer.flush())
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    for packet in covers.release() { try append(packet) }
    try writeHeaders(firstTime: -mapping.preSkip)
    // A stream without audio still needs a last packet.
    if held == nil {
      let silence = mapping.silence(granules(Self.shortestSilence))
      try queue(silence?.bytes ?? [], duration: silence?.duration ?? 0, trimEnd: 0)
    }
    try writeHeld(isLast: true)
    try sink.write(writer.flush())
    guard sink.isSeekable, media.tracks.indices.contains(audio),
      let header = mapping.completedHeader(media.tracks[audio], sampleCount: position)
    else { return }
    let page = OggPageWriter(serial: serial)
    page.append(header, granule: 0)
    try sink.overwrite(at: 0, with: page.flush())
  }
}
