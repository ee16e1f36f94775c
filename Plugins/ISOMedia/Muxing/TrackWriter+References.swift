import RespoolPlugin

/// Samples whose media stays in other files.
extension TrackWriter {
  /// Adds a packet whose media lies in another file.
  ///
  /// Pending packets must have been written before.
  ///
  /// Throws `unsupported` if the media there does not have the form that movies store.
  mutating func refer(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else { return }
    let reference = try MediaReference(buffer.readOnly)
    guard !configurations[0].isByteStream, reference.length <= Int64(IndexedSample.largestSize)
    else {
      throw MediaError(
        .unsupported, "samples of \(reference.path) need conversion or are too large",
        track: packet.track)
    }
    var packet = packet
    packet.payload = .range(offset: reference.offset, length: reference.length)
    if let lent, lent.path != reference.path || lent.offset + lent.length != reference.offset {
      try closeReference()
    }
    if let lent {
      self.lent?.length = lent.length + reference.length
    } else {
      lent = reference
      pendingStart = packet.dts ?? 0
    }
    try place(packet)
    if count(packet) { try closeReference() }
  }

  /// Closes the pending chunk in another file.
  mutating func closeReference() throws(MediaError) {
    guard let lent else { return }
    self.lent = nil
    let file = try AliasRecord(path: lent.path)
    // The data reference of a sample description has 16 bits.
    let entry = Entry(file: file)
    guard entries.count < Int(UInt16.max) || entries.contains(entry) else {
      throw MediaError(.limitExceeded, "a track can refer to at most 65535 files")
    }
    addChunk(at: UInt64(lent.offset), entry)
  }

  /// Returns `true` if a chunk is in the file that is written.
  func isOwn(chunk: Int) -> Bool { entries[Int(chunkEntries[chunk])].file == nil }

  /// The files of the data references.
  ///
  /// `nil` stands for the file that is written.
  var files: [AliasRecord?] {
    var files: [AliasRecord?] = []
    for entry in entries where !files.contains(entry.file) { files.append(entry.file) }
    return files.isEmpty ? [nil] : files
  }

  /// Writes `dref`: the files that hold the media (ISO/IEC 14496-12 8.7.2).
  func writeDataReferences(to writer: inout BoxWriter) {
    writer.box("dref") { references in
      references.versionAndFlags(0)
      references.u32(UInt32(files.count))
      for file in files {
        if let file {
          references.box(AliasRecord.type) {
            $0.versionAndFlags(0)
            file.write(to: &$0)
          }
        } else {
          // Flag 1: the media is in this file.
          references.box("url ") { $0.versionAndFlags(0, 1) }
        }
      }
    }
  }
}
