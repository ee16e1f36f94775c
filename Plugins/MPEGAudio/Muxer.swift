import ID3
import RespoolPlugin

/// A muxer for MP3 files: an ID3 tag, an info frame with delay and padding, and the frames.
///
/// The format stores no times. Audio that starts late, and gaps, become frames of silence.
final class MP3Muxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(kind: .muxer, name: "mp3", longName: "MP3 with ID3 tags")
    description.tier = .preferred
    description.flags = [.needsBytes, .keepsChapters]
    description.extensions = ["mp3"]
    description.mimeTypes = ["audio/mpeg", "audio/mp3"]
    description.codecs = ["mp3"] + FileTag.pictureCodecs
    description.channelCounts = 1...2
    description.options = [FileTag.option]
    return description
  }

  /// Maximum silence in seconds; a longer gap is treated as an error.
  private static let silenceLimit: Int64 = 3600
  /// Packets that wait for covers: a missing cover must not hold back more than some seconds of audio.
  private static let earlyLimit = 1000

  private let sink: ByteSink
  private let audio: Int
  private let sampleRate: Int64
  private var tag: FileTag
  /// Packets from which the muxer sees whether the bit rate varies.
  private static let lookahead = 16
  /// Audio packets that arrived before the covers, and those of the lookahead.
  private var early: [Packet] = []
  private var hasTag = false
  private var isVariable = false
  /// Offset of the info frame.
  private var infoOffset: Int64 = 0
  private var info: InfoFrame?
  private var content = InfoFrame.Content()
  /// The header of the first frame.
  private var first: MPEGAudioHeader?
  /// A frame that decodes to silence.
  private var silence: [UInt8] = []
  /// Time at which the next frame starts.
  private var position: Int64 = 0
  /// Time before which whole frames are left out, as their hidden part is longer than the tag can state.
  private var firstWritten: Int64 = .min
  /// Frames at the end whose samples are all hidden.
  private var hiddenFrames: [[UInt8]] = []

  static func check(_ track: TrackDescription) throws(MediaError) {
    guard track.kind == .audio else { return try FileTag.check(track, "mp3") }
    guard track.codec == "mp3" else {
      throw MediaError(.unsupported, "mp3 carries mp3, not \(track.codec)")
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    audio = try FileTag.audioTrack(of: media, "mp3")
    sampleRate = Int64(media.tracks[audio].sampleRate)
    guard (1...Int64(Int32.max)).contains(sampleRate) else {
      throw MediaError(.unsupported, "the sample rate is \(sampleRate) Hz; mp3 takes at least 1")
    }
    self.sink = sink
    tag = FileTag(media, audio: audio, settings: settings)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio ? Rational(1, Int32(clamping: sampleRate)) : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "mp3 needs the bytes of a packet, not a range")
    }
    if packet.track != audio {
      tag.take(packet, buffer)
    } else if hasTag {
      try append(packet, buffer)
    } else {
      early.append(packet)
    }
    if !hasTag, early.count >= (tag.isComplete ? Self.lookahead : Self.earlyLimit) {
      try writeEarly()
    }
  }

  private func writeEarly() throws(MediaError) {
    guard !hasTag else { return }
    hasTag = true
    let bytes = tag.bytes
    if !bytes.isEmpty { try sink.write(bytes) }
    let packets = early
    early = []
    let rates = packets.compactMap { $0.buffer.flatMap { MPEGAudioHeader($0.readOnly)?.bitRate } }
    isVariable = Set(rates).count > 1
    for packet in packets {
      if let buffer = packet.buffer { try append(packet, buffer) }
    }
  }

  /// Writes the frames of a packet, which is usually one.
  private func append(_ packet: Packet, _ buffer: MediaBuffer) throws(MediaError) {
    let bytes = Array(buffer.readOnly)
    var frames: [(range: Range<Int>, header: MPEGAudioHeader)] = []
    var start = 0
    while start < bytes.count {
      guard let header = MPEGAudioHeader(bytes[start...]), header.layer == 3,
        bytes.count - start >= header.frameLength
      else {
        throw MediaError(
          .malformed, "a packet of \(bytes.count.counting("byte")) is not a frame of MP3",
          track: packet.track)
      }
      frames.append((start..<start + header.frameLength, header))
      start += header.frameLength
    }
    guard let header = frames.first?.header else { return }
    let length = Int64(header.sampleCount)
    let time = packet.pts ?? position
    if first == nil { try begin(bytes, header, time: time, trimStart: packet.trimStart) }
    guard header.version == first?.version, header.sampleRate == first?.sampleRate else {
      throw MediaError(
        .unsupported,
        "the sample rate changes from \(first?.sampleRate ?? 0) to \(header.sampleRate) Hz; mp3 "
          + "files have one", track: packet.track)
    }
    // Audio that was already written, such as around an edit, must not be written twice.
    if position.subtractingClamped(time) >= length { return }
    try fill(to: time)
    var padding = max(0, packet.trimEnd)
    if packet.flags.contains(.discard), time >= 0 { padding = length * Int64(frames.count) }
    for (index, frame) in frames.enumerated() {
      let behind = Int64(frames.count - 1 - index) * length
      try write(
        Array(bytes[frame.range]), frame.header,
        padding: min(length, max(0, padding - behind)))
    }
  }

  /// Writes a frame, unless all of its samples are hidden at the end: those are written later, if the tag can state
  /// them.
  private func write(_ frame: [UInt8], _ header: MPEGAudioHeader, padding: Int64)
    throws(MediaError)
  {
    let length = Int64(header.sampleCount)
    defer { position += length }
    if position.addingClamped(length) <= firstWritten { return }
    if padding == length, position >= 0 {
      hiddenFrames.append(frame)
      return
    }
    for hidden in hiddenFrames { try put(hidden) }
    hiddenFrames = []
    content.padding = padding
    try put(frame)
  }

  private func put(_ frame: [UInt8]) throws(MediaError) {
    guard let header = MPEGAudioHeader(frame) else { return }
    content.add(frame, header)
    try sink.write(frame)
  }

  /// Reserves the info frame, and writes silence if the tag can otherwise not state the start of the audio.
  private func begin(_ bytes: [UInt8], _ header: MPEGAudioHeader, time: Int64, trimStart: Int64)
    throws(MediaError)
  {
    first = header
    silence = MPEGAudioHeader.silence(like: bytes)
    let length = Int64(header.sampleCount)
    position = time
    let hidden = max(time < 0 ? -max(time, -(Int64.max >> 1)) : 0, max(0, trimStart))
    // Frames of silence and hidden audio, less the audible part of the silence.
    let late = max(0, time.addingClamped(hidden))
    guard late / sampleRate <= Self.silenceLimit else {
      throw MediaError(
        .limitExceeded,
        "the audio starts \(late / sampleRate) seconds late; mp3 can begin with at most "
          + "\(Self.silenceLimit) seconds of silence", track: audio)
    }
    var count: Int64 = 0
    if hidden > 0 || late > 0 {
      let missing = InfoFrame.decoderDelay - (hidden - late)
      count = max(0, (missing + length - 1) / length)
      let longest = InfoFrame.decoderDelay + InfoFrame.lengthLimit
      let surplus = count == 0 ? max(0, hidden - late - longest) : 0
      let omitted = (surplus + length - 1) / length * length
      firstWritten = omitted > 0 ? time.addingClamped(omitted) : .min
      content.hidden = hidden - late + count * length - omitted
    }
    if content.hidden == nil { content.checksumAfterSilence.add(silence) }
    info = InfoFrame(
      Array(bytes.prefix(MPEGAudioHeader.byteCount)), isVariable: isVariable)
    infoOffset = sink.size
    if let info {
      try sink.write(info.bytes(content, isComplete: false))
    }
    for _ in 0..<count { try put(silence) }
  }

  /// Fills a gap of at least one frame with silence.
  private func fill(to time: Int64) throws(MediaError) {
    let length = Int64(first?.sampleCount ?? 1152)
    let gap = time.subtractingClamped(position)
    guard gap >= length, let header = MPEGAudioHeader(silence) else { return }
    guard gap / sampleRate <= Self.silenceLimit else {
      throw MediaError(
        .limitExceeded, "the audio has a gap of over an hour; shorter gaps become silence",
        track: audio)
    }
    for _ in 0..<gap / length { try write(silence, header, padding: 0) }
    position = time
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    try writeEarly()
    guard let first, let info else { return }
    // A decoder needs the frames with hidden samples only as far as the tag can state them.
    let length = Int64(first.sampleCount)
    for frame in hiddenFrames {
      guard content.padding + length + InfoFrame.decoderDelay <= InfoFrame.lengthLimit
      else { break }
      content.padding += length
      try put(frame)
    }
    guard sink.isSeekable else { return }
    if content.hidden == nil, content.padding > 0 {
      // Players hide the end only with the start: a frame of silence is what they hide.
      try sink.insert(silence, at: infoOffset + Int64(info.size))
      content.index.insertFirst(size: silence.count)
      content.checksum = content.checksumAfterSilence
      content.hidden = length
    }
    try sink.overwrite(at: infoOffset, with: info.bytes(content, isComplete: true))
  }
}
