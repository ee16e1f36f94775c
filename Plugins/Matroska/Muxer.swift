import RespoolPlugin

/// A muxer for Matroska (RFC 9559).
///
/// Blocks have no negative times. Audio that is decoded but not shown becomes CodecDelay. If video frames lie
/// before 0, as when an edit list hides them, the whole time line moves so that the first is at 0. All tracks
/// stay in sync.
class MatroskaMuxer: Muxer {
  class var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "matroska", longName: "Matroska")
    description.tier = .preferred
    description.flags = [
      .keepsRotation, .keepsChapters, .variableFrameRate, .joinsPieces, .keepsGaps,
    ]
    description.aliases = ["mkv"]
    description.extensions = ["mkv", "mka", "mks"]
    description.mimeTypes = ["video/matroska", "audio/matroska", "video/x-matroska"]
    description.codecs = CodecMapping.codecs.union(CodecMapping.coverTypes.keys)
      .union(AttachmentWriter.codecs).sorted()
    return description
  }

  class var isWebM: Bool { false }

  /// Maximum number of packets that are held until the first packets of every track are known.
  private static let heldPackets = 1000
  private static let heldBytes = 64 << 20

  private let media: MediaDescription
  private let sink: ByteSink
  /// Tracks with packets in clusters, by their index in `media`.
  private let carried: [Int]
  private let coverTracks: [Int]
  private var held: [Packet] = []
  private var heldSize = 0
  private var covers: [Int: [UInt8]] = [:]
  private var segment: SegmentWriter?
  private var tracks: [MatroskaTrack] = []

  class func check(_ track: TrackDescription) throws(MediaError) {
    try check(track, codecs: CodecMapping.codecs)
  }

  static func check(_ track: TrackDescription, codecs: Set<String>) throws(MediaError) {
    let name = description.name
    if track.disposition.contains(.attachedPicture) {
      guard !isWebM, CodecMapping.coverTypes[track.codec] != nil else {
        throw MediaError(
          .unsupported,
          isWebM
            ? "webm has no covers" : "\(name) carries no covers in \(track.codec)")
      }
      return
    }
    if track.kind == .attachment {
      if isWebM { throw MediaError(.unsupported, "webm has no attachments") }
      guard !track.extradata.isEmpty else {
        throw MediaError(.unsupported, "the attached file is empty")
      }
      return
    }
    guard codecs.contains(track.codec), [.video, .audio, .subtitle].contains(track.kind) else {
      throw MediaError(
        .unsupported,
        "\(name) does not carry \(track.codec.isEmpty ? "a track without a known codec" : track.codec)"
      )
    }
    if track.kind == .video, track.width <= 0 || track.height <= 0 {
      throw MediaError(.unsupported, "\(name) needs the frame size")
    }
    if CodecMapping.identifiers[track.codec] == nil, CompatibilityCodec.find(track) == nil {
      throw MediaError(
        .unsupported, "\(name) needs a code that states the format of the \(track.codec) track")
    }
    if ["flac", "vorbis"].contains(track.codec), track.extradata.isEmpty {
      throw MediaError(.unsupported, "\(name) needs the header of the \(track.codec) stream")
    }
  }

  required init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings)
    throws(MediaError)
  {
    for track in media.tracks { try Self.check(track) }
    self.media = media
    self.sink = sink
    let indices = media.tracks.indices
    coverTracks = indices.filter { media.tracks[$0].disposition.contains(.attachedPicture) }
    carried = indices.filter {
      !media.tracks[$0].disposition.contains(.attachedPicture)
        && media.tracks[$0].kind != .attachment
    }
  }

  func timeBase(ofTrack track: Int) -> Rational {
    guard media.tracks.indices.contains(track) else { return MatroskaTrack.milliseconds }
    return MatroskaTrack.timeBase(of: media.tracks[track])
  }

  func write(_ packet: Packet) throws(MediaError) {
    if coverTracks.contains(packet.track) {
      guard segment == nil, covers[packet.track] == nil else { return }
      guard let buffer = packet.buffer else {
        throw MediaError(.invalidArgument, "a cover must be passed as bytes, not as a range")
      }
      covers[packet.track] = Array(buffer.readOnly)
      return
    }
    guard let index = carried.firstIndex(of: packet.track) else {
      throw MediaError(.invalidArgument, "there is no track \(packet.track)")
    }
    if let segment { return try segment.write(packet, track: index) }
    held.append(packet)
    heldSize += packet.size
    if isReady { try start() }
  }

  /// `true` if the first packets of all tracks are known, with enough frames that none with an earlier
  /// presentation time follows.
  private var isReady: Bool {
    if held.count >= Self.heldPackets || heldSize >= Self.heldBytes { return true }
    guard coverTracks.allSatisfy({ covers[$0] != nil }) else { return false }
    return carried.allSatisfy { index in
      switch media.tracks[index].kind {
      case .audio: held.contains { $0.track == index }
      case .video: held.lazy.filter { $0.track == index }.prefix(18).count == 18
      default: true
      }
    }
  }

  private func start() throws(MediaError) {
    guard !carried.isEmpty else {
      throw MediaError(.unsupported, "\(Self.description.name) needs a track besides its covers")
    }
    for (number, index) in carried.enumerated() {
      let first = held.filter { $0.track == index }
      var track = media.tracks[index]
      // WebM has a different form of WebVTT, without a header.
      if Self.isWebM, track.codec == "webvtt" { track.extradata = [] }
      do throws(MediaError) {
        tracks.append(
          try MatroskaTrack(
            number: number + 1, index: index, track, firstPackets: first))
      } catch {
        var placed = error
        placed.track = index
        throw placed
      }
    }
    var shift: Int64 = 0
    for packet in held {
      guard let pts = packet.pts, pts < 0, media.tracks[packet.track].kind == .video else {
        continue
      }
      let base = timeBase(ofTrack: packet.track)
      shift = max(shift, -base.convert(pts, to: MatroskaTrack.milliseconds))
    }
    let head = SegmentHead(media: media, tracks: tracks, isWebM: Self.isWebM, shift: shift)
    var files = AttachmentWriter()
    for (index, track) in media.tracks.enumerated() {
      if track.kind == .attachment { files.add(track) }
      if let data = covers[index] { files.add(cover: track, data) }
    }
    let segment = try SegmentWriter(
      head, attachments: files.bytes, isWebM: Self.isWebM, sink: sink)
    self.segment = segment
    let packets = held
    held = []
    for packet in packets {
      if let index = carried.firstIndex(of: packet.track) {
        try segment.write(packet, track: index)
      }
    }
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    if segment == nil { try start() }
    // Some records are complete only now, such as FLAC's and those of encoders that know theirs at the end.
    for (number, index) in carried.enumerated() where media.tracks.indices.contains(index) {
      guard media.tracks[index].extradata != tracks[number].description.extradata,
        let record = try? CodecPrivate(media.tracks[index], firstPackets: [])
      else { continue }
      tracks[number].codecPrivate.bytes = record.bytes
    }
    segment?.update(tracks)
    try segment?.finish()
  }
}

/// A muxer for WebM: Matroska with the codecs of the web.
final class WebMMuxer: MatroskaMuxer {
  override class var description: FactoryDescription {
    var description = FactoryDescription(kind: .muxer, name: "webm", longName: "WebM")
    description.tier = .preferred
    description.flags = [.keepsChapters, .variableFrameRate, .joinsPieces]
    description.extensions = ["webm"]
    description.mimeTypes = ["video/webm", "audio/webm"]
    description.codecs = CodecMapping.webMCodecs.sorted()
    return description
  }

  override class var isWebM: Bool { true }

  override class func check(_ track: TrackDescription) throws(MediaError) {
    try check(track, codecs: CodecMapping.webMCodecs)
  }
}
