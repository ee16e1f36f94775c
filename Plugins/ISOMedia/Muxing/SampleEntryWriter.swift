import RespoolPlugin

/// A writer of a track's sample description box.
struct SampleEntryWriter {
  let trackWriter: TrackWriter
  /// `true` to store the bit rate of the written media.
  var storesBitRate = true
  /// The sample description that is written.
  private(set) var track: TrackDescription
  private(set) var configuration: CodecConfiguration
  var flavor: Flavor { trackWriter.flavor }

  init(_ trackWriter: TrackWriter) {
    self.trackWriter = trackWriter
    track = trackWriter.track
    configuration = trackWriter.configurations[0]
  }

  /// Returns an entry for each combination of sample description and referenced file.
  func description() throws(MediaError) -> SampleDescriptionBox {
    let descriptions = trackWriter.track.sampleDescriptions
    let files = trackWriter.files
    var entries: [SampleDescriptionBox.Entry] = []
    for used in trackWriter.entries.isEmpty ? [.init()] : trackWriter.entries {
      var writer = self
      writer.track = descriptions[used.sampleDescription]
      writer.configuration = trackWriter.configurations[used.sampleDescription]
      var entry = try writer.entry()
      let file = (files.firstIndex(of: used.file) ?? 0) + 1
      // The data reference index follows six zeros (ISO/IEC 14496-12 8.5.2.2).
      entry.payload.replaceSubrange(6..<8, with: UInt16(clamping: file).bigEndianBytes)
      entries.append(entry)
    }
    return SampleDescriptionBox(entries: entries)
  }

  private func entry() throws(MediaError) -> SampleDescriptionBox.Entry {
    switch track.kind {
    case .video: try video()
    case .audio: try audio()
    case .data: metadata()
    default: track.codec == "text" ? chapterText() : text()
    }
  }

  func entry(
    _ format: FourCC, _ body: (inout BoxWriter) -> Void
  ) -> SampleDescriptionBox.Entry {
    var writer = BoxWriter()
    body(&writer)
    return .init(format: format, payload: writer.bytes)
  }

  /// Returns the codec's configuration record, which messages call `name`.
  func configurationRecord(_ name: String) throws(MediaError) -> [UInt8] {
    let record = try configuration.record(for: track)
    guard !record.isEmpty else {
      throw MediaError(.malformed, "neither the track nor its first packet has \(name)")
    }
    return record
  }

  /// Returns the box `dac3` or `dec3`.
  func dolbyAudioBox() -> [UInt8] {
    configuration.dolby.isEmpty ? AC3Configuration(track).box : configuration.dolby
  }

  func elementaryStream(objectType: UInt8, streamType: UInt8) -> ElementaryStreamBox {
    var stream = ElementaryStreamBox(objectType: objectType, streamType: streamType)
    stream.streamID = UInt16(clamping: trackWriter.trackID)
    stream.averageBitRate = averageBitRate
    stream.maximumBitRate = averageBitRate
    return stream
  }

  /// Writes passed-through boxes of these types and, in ISO files, the bit rate.
  func writeRecords(of types: [FourCC], to writer: inout BoxWriter) {
    SampleEntryRecords.write(track.sideData, of: types, codec: track.codec, to: &writer)
    if flavor != .mov, averageBitRate > 0 {
      writer.write(BitRateBox(maximum: averageBitRate, average: averageBitRate))
    }
  }

  /// Average bit rate in bits per second, measured from the written media.
  ///
  /// 0 if unknown (ISO/IEC 14496-1 7.2.6.6).
  private var averageBitRate: UInt32 {
    guard storesBitRate, trackWriter.mediaDuration > 0 else { return 0 }
    let bits = Int128(trackWriter.byteCount) * 8 * Int128(trackWriter.timeScale)
    return UInt32(clamping: bits / Int128(trackWriter.mediaDuration))
  }
}
