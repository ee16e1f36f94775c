import RespoolPlugin

/// The codec identifier, the content of CodecPrivate, and the matching conversion of packets.
struct CodecPrivate {
  enum Change: Equatable {
    case none
    /// NAL units get length prefixes instead of start codes.
    case lengthPrefix
    /// The ADTS header is removed.
    case stripADTS
    /// The temporal delimiter of AV1 is removed.
    case stripDelimiter
    /// This number of bytes is dropped from the start.
    case dropFront(Int)
    /// Identifier and settings of a cue are written before its text, one line each.
    case cue
    /// Timestamps in the text of a cue become relative to its start.
    case relativeTimestamps
    /// The headers of WavPack's blocks are shortened.
    case wavPack
  }

  /// The content of CodecID.
  var identifier: String
  var bytes: [UInt8]?
  var change = Change.none

  /// Creates the record from the track, or from its first packets if the track does not have enough data.
  init(_ track: TrackDescription, firstPackets: [Packet]) throws(MediaError) {
    identifier = CodecMapping.identifiers[track.codec] ?? ""
    bytes = track.extradata.isEmpty ? nil : track.extradata
    if identifier.isEmpty, let found = CompatibilityCodec.find(track) {
      (identifier, bytes) = found
      return
    }
    switch track.codec {
    case "h264":
      if bytes?.first != 1 {
        change = .lengthPrefix
        bytes = try Self.fromByteStream(track, firstPackets) { (stream) throws(MediaError) in
          try AVCConfiguration(byteStream: stream)?.bytes
        }
      }
    case "hevc":
      if let bytes, !AnnexB.isByteStream(bytes), bytes.count >= 23 { break }
      change = .lengthPrefix
      bytes = try Self.fromByteStream(track, firstPackets) { (stream) throws(MediaError) in
        try HEVCConfiguration(byteStream: stream)?.bytes
      }
    case "vp9": bytes = Self.vp9(track)
    case "av1":
      guard !AV1Configuration.isRecord(track.extradata) else { break }
      change = .stripDelimiter
      let first = firstPackets.first?.buffer.map { Array($0.readOnly) } ?? []
      guard let made = try AV1Configuration(units: track.extradata + first) else {
        throw MediaError(.unsupported, "Matroska needs the sequence header of AV1")
      }
      bytes = made.bytes
    case "vp8", "mp1", "mp2", "mp3", "ac3", "eac3", "dts", "truehd", "mlp", "tta", "ra_144",
      "mjpeg",
      "subrip", "text", "hdmv_pgs_subtitle":
      bytes = nil
    case "webvtt" where Self.isPlainText(track):
      // The header with its styles and regions (Matroska codec mappings, "S_TEXT/WEBVTT").
      identifier = "S_TEXT/WEBVTT"
      bytes = track.extradata
      change = .relativeTimestamps
    case "webvtt":
      bytes = nil
      change = .cue
    case "aac":
      guard bytes == nil else { break }
      let first = firstPackets.first?.buffer.map { Array($0.readOnly.prefix(9)) } ?? []
      let header = try ADTSHeader(first)
      bytes = header.configuration.bytes
      change = .stripADTS
    case "flac":
      let info = try FLACStreamInfo(track.extradata)
      bytes = Array("fLaC".utf8) + info.blocks(track.channelLayout)
    case "alac":
      // FFmpeg keeps the atom's size, name and version at the start.
      if track.extradata.count >= 36 { bytes = Array(track.extradata[12...]) }
    case "vorbis", "theora": bytes = try Self.laced(track)
    case "opus":
      if bytes == nil, (1...2).contains(track.channelLayout.channelCount) {
        bytes =
          OpusConfiguration(
            channelCount: UInt8(track.channelLayout.channelCount),
            preSkip: UInt16(clamping: track.initialPadding)
          ).head
      }
    case "prores":
      let tag = track.codecTag == 0 ? FourCC("apcn").tag : track.codecTag
      bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: tag >> $0) }
      // The size and `icpf` of QuickTime's frames are omitted.
      change = .dropFront(8)
    case "wavpack":
      change = .wavPack
      // The stream version. All decoders since 4.10 support it.
      if bytes?.count != 2 { bytes = [0x10, 0x04] }
    default: if track.codec.hasPrefix("pcm_") { bytes = nil }
    }
  }

  private static func fromByteStream(
    _ track: TrackDescription, _ packets: [Packet],
    _ make: ([UInt8]) throws(MediaError) -> [UInt8]?
  ) throws(MediaError) -> [UInt8] {
    if let record = try make(track.extradata) { return record }
    for packet in packets {
      if let buffer = packet.buffer, let record = try make(Array(buffer.readOnly)) {
        return record
      }
    }
    throw MediaError(
      .malformed, "the track and its first packets have no parameter sets of \(track.codec)")
  }

  /// Returns `true` for WebVTT whose header has styles, regions or notes.
  ///
  /// Its cues are plain text, with their settings as additional data. Other WebVTT is written in WebM's form,
  /// which has no header: FFmpeg supports only that.
  static func isPlainText(_ track: TrackDescription) -> Bool {
    let signature = Array("WEBVTT".utf8)
    return track.codec == "webvtt" && track.extradata.starts(with: signature)
      && track.extradata.dropFirst(signature.count).contains { $0 > 0x20 }
  }

  /// Returns WebM's record of VP9.
  ///
  /// `nil` if unknown: WebM does not require it.
  private static func vp9(_ track: TrackDescription) -> [UInt8]? {
    let extradata = track.extradata
    if extradata.starts(with: [1, 1]), (try? VPCodecConfiguration(webM: extradata)) != nil {
      return extradata
    }
    return (try? VPCodecConfiguration(boxBody: extradata))?.webM
  }

  /// Returns the three headers in Xiph lacing.
  private static func laced(_ track: TrackDescription) throws(MediaError) -> [UInt8] {
    let packets = try XiphLacing.headers(track.extradata)
    return track.extradata.first == 2 ? track.extradata : XiphLacing.join(packets) ?? []
  }

  /// Returns the identifier and the settings of a cue.
  ///
  /// Side data has them in reverse order.
  private static func cueHead(_ sideData: [UInt8]) -> [UInt8] {
    let lines = sideData.split(
      separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let (settings, identifier) = (lines.first ?? [], lines.dropFirst().first ?? [])
    return identifier + [0x0A] + settings + [0x0A]
  }

  /// Converts a packet to the form that is written; its times are in `timeBase`.
  func convert(_ packet: Packet, _ timeBase: Rational) throws(MediaError) -> Packet {
    var packet = packet
    switch change {
    case .none: return packet
    case .dropFront(let count):
      guard packet.size > count else { return packet }
      if case .range(let offset, let length) = packet.payload {
        packet.payload = .range(offset: offset + Int64(count), length: length - Int64(count))
        return packet
      }
    default: break
    }
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "this track needs packets as bytes, not as ranges")
    }
    switch change {
    case .none: break
    case .dropFront(let count):
      packet.payload = .bytes(MediaBuffer(buffer.readOnly.dropFirst(count)))
    case .lengthPrefix:
      packet.payload = .bytes(MediaBuffer(AnnexB.lengthPrefixed(buffer.readOnly)))
    case .stripDelimiter:
      packet.payload = .bytes(AV1Configuration.withoutDelimiter(buffer))
    case .stripADTS:
      let header = try ADTSHeader(buffer.readOnly.prefix(9))
      packet.payload = .bytes(MediaBuffer(buffer.readOnly.dropFirst(header.byteCount)))
    case .wavPack:
      packet.payload = .bytes(
        MediaBuffer(try WavPackBlocks.stripped(Array(buffer.readOnly))))
    case .relativeTimestamps:
      let start = timeBase.convert(packet.pts ?? packet.dts ?? 0, to: MatroskaTrack.milliseconds)
      packet.payload = .bytes(
        MediaBuffer(CueTimestamps.moved(Array(buffer.readOnly), by: 0 - start)))
    case .cue:
      packet.payload = .bytes(MediaBuffer(Self.cueHead(packet.sideData) + Array(buffer.readOnly)))
      packet.sideData = []
    }
    return packet
  }
}
