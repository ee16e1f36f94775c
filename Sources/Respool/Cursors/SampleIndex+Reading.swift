import RespoolMedia

extension SampleIndex {
  /// Creates the index by reading all packets of the track; blocks.
  ///
  /// Throws errors of opening and reading, `unsupported` if packets have no times or are not in decoding order,
  /// `limitExceeded` if there are too many or one is too large.
  convenience init(_ track: AssetTrack) throws(MediaError) {
    let reader = try TrackPackets(track)
    var (entries, trims): ([Entry], [Int: (start: Int64, end: Int64)]) = ([], [:])
    while let packet = try reader.next() {
      guard let presentation = packet.pts ?? packet.dts else {
        throw MediaError(
          .unsupported, "packets of the track have no times", file: reader.source.path)
      }
      guard entries.count < Self.limit, let size = UInt32(exactly: packet.size) else {
        throw MediaError(
          .limitExceeded, "the track has more or larger samples than the limit",
          file: reader.source.path)
      }
      let entry = Entry(
        presentation: presentation, decode: packet.dts ?? presentation,
        duration: packet.duration, offset: packet.plainOffset ?? -1, size: size,
        digest: packet.digest, flags: UInt8(truncatingIfNeeded: packet.flags.rawValue),
        format: UInt16(clamping: packet.sampleDescriptionIndex))
      if let last = entries.last, entry.decode < last.decode {
        throw MediaError(
          .unsupported, "packets of the track are not in decoding order", file: reader.source.path)
      }
      if packet.trimStart != 0 || packet.trimEnd != 0 {
        trims[entries.count] = (packet.trimStart, packet.trimEnd)
      }
      entries.append(entry)
    }
    self.init(entries, trims: trims)
  }
}

extension Packet {
  /// Hash of the bytes, valid within this process.
  ///
  /// 0 if they have not been read.
  var digest: UInt32 {
    buffer?.withBytes { bytes in
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      return UInt32(truncatingIfNeeded: hasher.finalize())
    } ?? 0
  }

  /// Offset of the bytes in the file.
  ///
  /// `nil` if they are not a range of it or the packet has side data.
  fileprivate var plainOffset: Int64? {
    guard case .range(let offset, _) = payload, sideData.isEmpty else { return nil }
    return offset
  }
}

extension AssetTrack {
  /// Returns the index of a file's track, which is created at the first call and kept by the asset.
  ///
  /// Two threads that call at once may both create it.
  func sampleIndex() throws(MediaError) -> SampleIndex {
    guard isSelfContained, let asset else {
      throw MediaError(.unsupported, "samples of a composition have no position in a file")
    }
    if let index = asset.sampleIndexes.withLock({ $0[self.index] }) { return index }
    let fresh = try SampleIndex(self)
    return asset.sampleIndexes.withLock { indexes in
      let index = indexes[self.index] ?? fresh
      indexes[self.index] = index
      return index
    }
  }
}
