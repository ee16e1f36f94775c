import RespoolMedia

/// Where the samples of a file's track lie and when they are shown: what cursors move on.
///
/// Some dozen bytes a sample; no media is kept.
final class SampleIndex: Sendable {
  /// One sample; times in the track's time base.
  struct Entry: Sendable {
    var presentation: Int64
    var decode: Int64
    var duration: Int64
    /// Of its bytes in the file; negative where it does not lie there in one piece.
    var offset: Int64
    var size: UInt32
    /// Of the bytes where they are no range of the file: times alone may name another packet after a seek.
    var digest: UInt32
    var flags: UInt8
    /// Of the track's formats.
    var format: UInt16
  }

  /// Samples of one track that are looked at; 97 hours of 24 pictures a second.
  static let limit = 1 << 23

  /// In decoding order.
  let entries: [Entry]
  /// What is cut off sound, by the sample: few have that.
  let trims: [Int: (start: Int64, end: Int64)]
  /// Samples in the order in which they are shown; nil: that of decoding.
  private let shown: [Int32]?
  /// Where each sample stands in that order.
  private let ranks: [Int32]?
  let byteCount: Int64
  /// Whether decoding can start at each.
  let allAreSync: Bool

  /// Looks at all packets of the track; blocks.
  ///
  /// Throws what opening and reading throw, `unsupported` where packets have no times, `limitExceeded` where
  /// there are too many.
  init(_ track: AssetTrack) throws(MediaError) {
    let reader = try TrackPackets(track)
    var (entries, trims): ([Entry], [Int: (start: Int64, end: Int64)]) = ([], [:])
    var (isDecodeSorted, isShownSorted, allAreSync) = (true, true, true)
    var bytes: Int64 = 0
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
      if let last = entries.last {
        if entry.decode < last.decode { isDecodeSorted = false }
        if entry.presentation < last.presentation { isShownSorted = false }
      }
      if packet.trimStart != 0 || packet.trimEnd != 0 {
        trims[entries.count] = (packet.trimStart, packet.trimEnd)
      }
      if !packet.flags.contains(.key) { allAreSync = false }
      bytes += Int64(size)
      entries.append(entry)
    }
    guard isDecodeSorted else {
      throw MediaError(
        .unsupported, "packets of the track are not in decoding order", file: reader.source.path)
    }
    self.entries = entries
    self.trims = trims
    self.allAreSync = allAreSync
    byteCount = bytes
    guard !isShownSorted else {
      (shown, ranks) = (nil, nil)
      return
    }
    let shown = entries.indices.map { Int32($0) }.sorted { a, b in
      let (first, second) = (entries[Int(a)].presentation, entries[Int(b)].presentation)
      return first == second ? a < b : first < second
    }
    var ranks = [Int32](repeating: 0, count: shown.count)
    for (rank, number) in shown.enumerated() { ranks[Int(number)] = Int32(rank) }
    (self.shown, self.ranks) = (shown, ranks)
  }

  /// The sample at a place of the order in which they are shown.
  func sample(shownAt rank: Int) -> Int { shown.map { Int($0[rank]) } ?? rank }

  /// The place of a sample in the order in which they are shown.
  func rank(of sample: Int) -> Int { ranks.map { Int($0[sample]) } ?? sample }

  /// The last sample that is shown at or before a time, else the first that is shown; there is one.
  func sample(shownAtOrBefore time: Int64) -> Int {
    sample(shownAt: last { entries[sample(shownAt: $0)].presentation <= time })
  }

  /// The last sample that is decoded at or before a time, else the first.
  func sample(decodedAtOrBefore time: Int64) -> Int { last { entries[$0].decode <= time } }

  /// The last place for which something holds that holds up to some place only; 0 where it never does.
  private func last(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
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
    guard let asset, asset.path != nil else {
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
