import RespoolMedia

extension SampleIndex {
  /// Looks at all packets of the track; blocks.
  ///
  /// Throws what opening and reading throw, `unsupported` where packets have no times, `limitExceeded` where
  /// there are too many.
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
          .limitExceeded, "the track has more or larger samples than are looked at",
          file: reader.source.path)
      }
      let entry = Entry(
        presentation: presentation, decode: packet.dts ?? presentation,
        duration: packet.duration, offset: packet.plainOffset ?? -1, size: size,
        digest: packet.digest, flags: UInt8(truncatingIfNeeded: packet.flags.rawValue),
        format: UInt16(clamping: packet.format))
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
  /// Tells its bytes from others within this process; 0 where they have not been read.
  var digest: UInt32 {
    buffer?.withBytes { bytes in
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      return UInt32(truncatingIfNeeded: hasher.finalize())
    } ?? 0
  }

  /// Where its bytes lie in the file, if they are all that there is to it.
  fileprivate var plainOffset: Int64? {
    guard case .range(let offset, _) = payload, sideData.isEmpty else { return nil }
    return offset
  }
}

extension AssetTrack {
  /// The index of a file's track, made when it is first asked for and kept by the asset.
  ///
  /// Two threads that ask at once may both make it.
  func sampleIndex() throws(MediaError) -> SampleIndex {
    guard isOfFile, let asset else {
      throw MediaError(.unsupported, "samples of a composition have no places in a file")
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
