import RespoolPlugin

/// A converter of packets to the form that the container stores.
///
/// It also takes codec configuration from the first packet if the track does not have it.
struct CodecConfiguration {
  /// The track description for this format.
  let track: TrackDescription
  /// `true` if NAL units begin with start codes.
  private(set) var isByteStream: Bool
  /// The configuration record from the first packet.
  ///
  /// Empty if the track's own is used.
  private(set) var record: [UInt8] = []
  /// The box `dac3` or `dec3` from the first packet.
  private(set) var dolby: [UInt8] = []
  /// The compression ID of the first packet of DNxHR (SMPTE ST 2019-1); 0 before it.
  private(set) var compressionID: UInt32 = 0
  /// The parameter sets of the record.
  ///
  /// `nil` before the first packet, and for packets whose framing stays as it is.
  private var parameterSets: RecordedParameterSets?
  /// `true` if packets have parameter sets that the record does not have.
  var packetsHaveOtherSets: Bool { parameterSets?.haveOthers ?? false }
  private var sawFirst = false
  private var hasTransportHeaders = false

  init(_ track: TrackDescription) {
    self.track = track
    isByteStream =
      ["h264", "hevc"].contains(track.codec) && AnnexB.isByteStream(track.extradata)
  }

  /// Returns the payload in the form that the container stores.
  mutating func adapt(_ packet: Packet) throws(MediaError) -> Packet.Payload {
    let buffer = packet.buffer
    if !sawFirst {
      sawFirst = true
      if let buffer { try readConfiguration(from: buffer) }
      if isByteStream, buffer == nil { throw rangeError(packet, "NAL units with start codes") }
      if isByteStream {
        parameterSets = RecordedParameterSets(
          codec: track.codec, record: try storedRecord(for: track))
      }
    }
    guard let buffer else { return packet.payload }
    if isByteStream {
      let bytes = buffer.readOnly
      let units = AnnexB.lengthPrefixed(bytes) { parameterSets?.stored($0, of: bytes) ?? $0 }
      return .bytes(MediaBuffer(units))
    }
    if hasTransportHeaders, let header = transportHeader(of: buffer) {
      return .bytes(MediaBuffer(buffer.readOnly.dropFirst(header.byteCount)))
    }
    if track.codec == "av1", !AV1Configuration.isRecord(track.extradata) {
      return .bytes(AV1Configuration.withoutDelimiter(buffer))
    }
    return packet.payload
  }

  /// Returns the ADTS header in front of an AAC frame.
  ///
  /// `nil` if there is none.
  private func transportHeader(of buffer: MediaBuffer) -> ADTSHeader? {
    guard let header = try? ADTSHeader(buffer.readOnly.prefix(9)), buffer.count > header.byteCount
    else { return nil }
    return header
  }

  private func rangeError(_ packet: Packet, _ form: String) -> MediaError {
    MediaError(
      .unsupported, "\(form) must be passed as bytes for this container, not as a range",
      track: packet.track)
  }

  private mutating func readConfiguration(from buffer: MediaBuffer) throws(MediaError) {
    switch track.codec {
    case "h264" where track.extradata.isEmpty:
      isByteStream = AnnexB.isByteStream(buffer.readOnly.prefix(4))
      if isByteStream { record = try AVCConfiguration(byteStream: buffer.readOnly)?.bytes ?? [] }
    case "hevc" where track.extradata.isEmpty:
      isByteStream = AnnexB.isByteStream(buffer.readOnly.prefix(4))
      if isByteStream { record = try HEVCConfiguration(byteStream: buffer.readOnly)?.bytes ?? [] }
    case "aac" where track.extradata.isEmpty:
      if let header = transportHeader(of: buffer) {
        hasTransportHeaders = true
        record = header.configuration.bytes
      }
    case "av1" where track.extradata.isEmpty:
      record = try AV1Configuration(units: buffer.readOnly)?.bytes ?? []
    case "dnxhd" where buffer.count >= 44:
      compressionID = buffer.readOnly[40..<44].reduce(0) { $0 << 8 | UInt32($1) }
    case "ac3", "eac3": dolby = AC3Configuration(buffer.readOnly)?.box ?? []
    default: break
    }
  }

  /// Returns the configuration record in the form that the container stores.
  func record(for track: TrackDescription) throws(MediaError) -> [UInt8] {
    let stored = try storedRecord(for: track)
    guard packetsHaveOtherSets, track.codec == "hevc", var record = try? HEVCConfiguration(stored)
    else { return stored }
    // array_completeness is 0 if packets have further sets of a type (ISO/IEC 14496-15 8.3.3.1.3).
    for index in record.arrays.indices { record.arrays[index].isComplete = false }
    return record.bytes
  }

  private func storedRecord(for track: TrackDescription) throws(MediaError) -> [UInt8] {
    guard record.isEmpty else { return record }
    switch track.codec {
    case "h264" where AnnexB.isByteStream(track.extradata):
      return try AVCConfiguration(byteStream: track.extradata)?.bytes ?? []
    case "av1" where !AV1Configuration.isRecord(track.extradata):
      return try AV1Configuration(units: track.extradata)?.bytes ?? []
    case "hevc" where AnnexB.isByteStream(track.extradata):
      return try HEVCConfiguration(byteStream: track.extradata)?.bytes ?? []
    default: return track.extradata
    }
  }
}
