package import RespoolMedia

/// Hashes every decoded frame, or every packet, of a file, in the columns of `ffmpeg -f framemd5`.
///
/// Video frames are hashed in FFmpeg's rawvideo layout, rotated upright by the display matrix as in the
/// ffmpeg command. Audio is hashed as interleaved signed 16-bit PCM. Streams are numbered as by `-map 0:v?
/// -map 0:a?`.
package struct HashRun {
  private let source: FileSource
  private let demuxer: DemuxerInstance
  private let registry: PluginRegistry
  /// Indexes of the tracks to hash, in the order of their numbers.
  private let chosen: [Int]

  /// Opens `path`.
  ///
  /// `track` is the number of the only track to hash, from 1 (``TrackNumber``). `nil`: all video and audio
  /// tracks.
  package init(path: String, track: Int? = nil, registry: PluginRegistry = .standard)
    throws(MediaError)
  {
    source = try FileSource(path: path)
    demuxer = try registry.openDemuxer(source, for: .comparing)
    self.registry = registry
    let tracks = demuxer.media.tracks
    let order = [TrackDescription.Kind.video, .audio].flatMap { kind in
      tracks.indices.filter { tracks[$0].kind == kind }
    }
    if let track {
      do throws(MediaError) {
        chosen = [try TrackNumber(typed: track, trackCount: tracks.count).index]
      } catch { throw error.inFile(path) }
    } else {
      chosen = order
    }
  }

  /// Calls `print` with every line and returns the damage after which it continued.
  package func run(packets: Bool, print: (String) -> Void) throws(MediaError) -> [MediaError] {
    try withoutActuallyEscaping(print) { (print) throws(MediaError) in
      try hash(packets: packets, print: print)
    }
  }

  private func hash(packets: Bool, print: @escaping (String) -> Void) throws(MediaError)
    -> [MediaError]
  {
    print("#format: frame checksums")
    print("#version: 2")
    print("#hash: MD5")
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    let builder = ChainBuilder(registry: registry)
    var decoders: [DecodeStage] = []
    for (number, index) in chosen.enumerated() {
      let track = demuxer.media.tracks[index]
      let isAudio = track.kind == .audio
      let base =
        packets || !isAudio ? track.timeBase : Rational(1, Int32(clamping: track.sampleRate))
      print("#tb \(number): \(base)")
      print("#media_type \(number): \(isAudio ? "audio" : "video")")
      print("#codec_id \(number): \(packets ? track.codec : isAudio ? "pcm_s16le" : "rawvideo")")
      if packets {
        stages[index] = PacketHashStage(number: number, source: source, print: print)
      } else {
        let hash = FrameHashStage(number: number, track: track, print: print)
        let stage = try builder.decode(track, of: source, to: hash)
        decoders.append(stage)
        stages[index] = stage
      }
    }
    print("#stream#, dts,        pts, duration,     size, hash")
    var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
    try loop.run()
    return loop.damage + decoders.compactMap(\.firstDamage)
  }
}

private func columns(
  _ number: Int, _ dts: Int64?, _ pts: Int64?, _ duration: Int64, _ size: Int, _ hash: String
) -> String {
  func padded(_ value: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - value.utf8.count)) + value
  }
  let time = pts ?? dts ?? 0
  return "\(number), " + padded("\(dts ?? time)", 10) + ", " + padded("\(time)", 10) + ", "
    + padded("\(duration)", 8) + ", " + padded("\(size)", 8) + ", " + hash
}

private final class PacketHashStage: Stage {
  private let number: Int
  private let source: FileSource
  private let print: (String) -> Void

  init(number: Int, source: FileSource, print: @escaping (String) -> Void) {
    self.number = number
    self.source = source
    self.print = print
  }

  func consume(_ packet: Packet) throws(MediaError) {
    guard let buffer = try source.bytes(of: packet).buffer else { return }
    var md5 = MD5()
    withExtendedLifetime(buffer) { md5.update(buffer.readOnly) }
    print(columns(number, packet.dts, packet.pts, packet.duration, buffer.count, md5.finalizeHex()))
  }

  func finish() {}
}

private final class FrameHashStage: Stage {
  private let number: Int
  private let track: TrackDescription
  private let orientation: DisplayMatrix.Orientation
  private var rotator: FrameRotator?
  private let print: (String) -> Void

  init(number: Int, track: TrackDescription, print: @escaping (String) -> Void) {
    self.number = number
    self.track = track
    self.print = print
    orientation = track.displayMatrix.orientation
  }

  func consume(_ frame: Frame) throws(MediaError) {
    var md5 = MD5()
    var size = 0
    switch frame.kind {
    case .video:
      let upright = try rotated(frame)
      try HashPacking.pack(upright) { bytes in
        size += bytes.count
        md5.update(bytes)
      }
      print(columns(number, nil, frame.pts, frame.duration, size, md5.finalizeHex()))
    case .audio:
      guard let samples = AudioConverter.interleaved16(frame) else { return }
      samples.withUnsafeBytes { bytes in
        size = bytes.count
        md5.update(bytes)
      }
      let unit = Rational(1, Int32(clamping: frame.sampleRate))
      let pts = frame.pts.map { track.timeBase.convert($0, to: unit) }
      print(
        columns(number, nil, pts, Int64(frame.sampleCount), size, md5.finalizeHex()))
    }
  }

  private func rotated(_ frame: Frame) throws(MediaError) -> Frame {
    guard !orientation.isUpright else { return frame }
    let videoFormat = VideoFormat(frame)
    if rotator?.source != videoFormat {
      rotator = try FrameRotator(from: videoFormat, orientation: orientation)
    }
    return try rotator?.rotate(frame) ?? frame
  }

  func finish() {}
}
