import RespoolPlugin
import Xiph

/// A muxer for FLAC files (RFC 9639).
final class FLACMuxer: Muxer {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .muxer, name: "flac", longName: "FLAC")
    about.tier = .preferred
    about.flags = [.needsBytes, .keepsChapters]
    about.extensions = ["flac"]
    about.mimeTypes = ["audio/flac", "audio/x-flac"]
    about.codecs = ["flac", "mjpeg", "png", "gif", "webp", "bmp", "tiff", "bin_data"]
    about.channelCounts = 1...8
    about.options = [
      OptionSchema(
        "padding", .int(0...16_777_215), default: "8192",
        help: "bytes of room for later changes of the tags")
    ]
    return about
  }()

  private let sink: ByteSink
  private let media: MediaDescription
  private let audio: Int
  private let padding: Int
  private var covers: WaitingCovers
  private var frames: FrameSequence
  private var seekTable: SeekTable
  private var cueSheet: CueSheet?
  /// Offsets of the bodies of blocks that are completed at the end.
  private var seekTableOffset: Int64?
  private var cueSheetOffset: Int64?
  /// Number of points for which there is room.
  private var pointCount = 0
  /// Offset of the first frame.
  private var audioStart: Int64?

  static func check(_ track: TrackDescription) throws(MediaError) {
    if track.disposition.contains(.attachedPicture) {
      guard FLACPicture.mimeType(ofCodec: track.codec) != nil else {
        throw MediaError(.unsupported, "flac does not carry covers of the codec \(track.codec)")
      }
      return
    }
    if track.kind == .attachment {
      guard FLACPicture(attached: track) != nil else {
        throw MediaError(.unsupported, "flac stores only pictures, no other attached files")
      }
      return
    }
    guard track.kind == .audio, track.codec == "flac" else {
      throw MediaError(.unsupported, "flac carries FLAC and covers, not \(track.codec)")
    }
    _ = try FLACStreamInfo(track.extradata)
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    let audioTracks = media.tracks.indices.filter { media.tracks[$0].kind == .audio }
    guard audioTracks.count == 1, let audio = audioTracks.first else {
      throw MediaError(
        .unsupported, "\(audioTracks.count.counting("audio track")); flac takes exactly one")
    }
    self.sink = sink
    self.media = media
    self.audio = audio
    padding = settings.options.last { $0.name == "padding" }.flatMap { Int($0.value) } ?? 8192
    covers = WaitingCovers(media.tracks)
    frames = try FrameSequence(media.tracks[audio])
    seekTable = SeekTable(sampleRate: Int(frames.info.sampleRate))
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio ? Rational(1, Int32(clamping: frames.info.sampleRate)) : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard packet.buffer != nil else {
      throw MediaError(.invalidArgument, "flac needs the bytes of a packet, not a range")
    }
    for packet in covers.add(packet, isAudio: packet.track == audio) { try append(packet) }
  }

  private func append(_ packet: Packet) throws(MediaError) {
    let start = try writeHeaders()
    for frame in try frames.add(packet) {
      seekTable.add(
        sample: frame.sample, offset: sink.size - start, sampleCount: frame.sampleCount)
      try sink.write(frame.bytes)
    }
  }

  // MARK: Blocks

  private enum BlockType: UInt8 {
    case streamInfo = 0, padding, application, seekTable, comments, cueSheet, picture
  }

  /// Maximum number of bytes of a block.
  private static let largestBlock = 0xFF_FFFF

  /// Returns a block with its header.
  private static func block(_ type: BlockType, _ body: [UInt8], isLast: Bool = false)
    throws(MediaError) -> [UInt8]
  {
    guard body.count <= largestBlock else {
      throw MediaError(
        .limitExceeded,
        "\(type == .picture ? "a cover" : "the tags") of \(body.count.counting("byte")) exceed a "
          + "block of FLAC, which has up to \(largestBlock)")
    }
    return [type.rawValue | (isLast ? 0x80 : 0)] + UInt32(body.count).bigEndianBytes.dropFirst()
      + body
  }

  /// Writes the blocks before the audio, unless they are written, and returns the offset of the audio.
  private func writeHeaders() throws(MediaError) -> Int64 {
    if let audioStart { return audioStart }
    let track = media.tracks[audio]
    var header = Array("fLaC".utf8) + (try Self.block(.streamInfo, frames.info.bytes))
    pointCount = SeekTable.pointCount(duration: media.duration)
    if pointCount > 0, sink.isSeekable {
      seekTableOffset = Int64(header.count) + 4
      header += try Self.block(.seekTable, seekTable.block(pointCount))
    }
    var comments = VorbisComments(file: media, audio: track)
    comments.fields += FLACStreamInfo.layoutFields(track.channelLayout)
    header += try Self.block(.comments, comments.bytes)
    if let applications = media.sideData[.flacApplications] { header += applications }
    let rate = Int(frames.info.sampleRate)
    cueSheet =
      media.sideData[.flacCueSheet].flatMap { CueSheet(record: $0, sampleRate: rate) }
      ?? CueSheet(media.chapters, sampleRate: rate)
    if let cueSheet, sink.isSeekable {
      cueSheetOffset = Int64(header.count) + 4
      header += try Self.block(.cueSheet, cueSheet.bytes)
    }
    for picture in covers.pictures + media.tracks.compactMap(FLACPicture.init(attached:)) {
      header += try Self.block(.picture, picture.block)
    }
    header += try Self.block(.padding, [UInt8](repeating: 0, count: padding), isLast: true)
    try sink.write(header)
    audioStart = sink.size
    return sink.size
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    for packet in covers.release() { try append(packet) }
    _ = try writeHeaders()
    guard sink.isSeekable else { return }
    let final = media.tracks.indices.contains(audio) ? media.tracks[audio].extradata : []
    let info = frames.finish(try? FLACStreamInfo(final))
    try sink.overwrite(at: 8, with: info.bytes)
    if let cueSheetOffset, var cueSheet {
      cueSheet.end(at: Int64(info.sampleCount))
      try sink.overwrite(at: cueSheetOffset, with: cueSheet.bytes)
    }
    if let seekTableOffset {
      try sink.overwrite(at: seekTableOffset, with: seekTable.block(pointCount))
    } else if seekTable.pointCount > 0 {
      // After STREAMINFO, where flac writes it.
      let block = try Self.block(.seekTable, seekTable.block(seekTable.pointCount))
      try sink.insert(block, at: Int64(8 + FLACStreamInfo.byteCount))
    }
  }
}
