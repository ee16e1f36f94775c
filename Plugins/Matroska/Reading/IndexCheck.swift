import RespoolPlugin

/// A check of what a finished segment states for players: its duration, and cues that lead to blocks (RFC 9559 5.1.5).
///
/// Streams and recordings that were stopped have neither, and can be read without them.
struct IndexCheck {
  let layout: SegmentLayout
  let info: SegmentInfo
  /// Numbers of the audio and video tracks.
  let tracks: Set<UInt64>
  let window: SourceWindow

  /// Number of cues that are followed.
  private static let most = 64
  /// Number of blocks among which a first one has to be that a cue can lead to.
  private static let searchedBlocks = 10_000

  /// Returns the first fault; `nil` if there is none.
  func fault() throws(MediaError) -> MediaError? {
    do throws(MediaError) { return try firstFault() } catch {
      guard error.code == .malformed else { throw error }
      return error
    }
  }

  private func firstFault() throws(MediaError) -> MediaError? {
    guard let first = layout.firstCluster else { return nil }
    if info.duration == nil {
      return MediaError(.malformed, "the header states no duration", path: "Segment/Info")
    }
    var cues: [CueReference] = []
    for element in layout.all(.cues) {
      try CueReference.forEach(in: element, origin: layout.origin) { cues.append($0) }
    }
    guard !cues.isEmpty else {
      guard try hasSyncSample(from: first) else { return nil }
      return MediaError(.malformed, "there are no cues to seek with", path: "Segment/Cues")
    }
    let distance = (cues.count + Self.most - 1) / Self.most
    for index in cues.indices where index % distance == 0 || index == cues.count - 1 {
      var leads = false
      do throws(MediaError) { leads = try self.leads(cues[index]) } catch {
        // No element begins where the cue leads.
        guard error.code == .malformed else { throw error }
      }
      guard leads else {
        return MediaError(
          .malformed, "cue \(index) of \(cues.count) does not lead to a block of its time",
          path: "Segment/Cues/CuePoint[\(index)]")
      }
    }
    return nil
  }

  /// Returns `true` if a reference leads to a cluster of its time and, if it states a position there, to its block.
  private func leads(_ cue: CueReference) throws(MediaError) -> Bool {
    guard let header = try window.header(at: cue.cluster), header.id == .cluster else {
      return false
    }
    let start = cue.cluster.addingClamped(Int64(header.length))
    guard let clusterTime = ClusterScan.timestamp(at: start, window) else { return false }
    // The time of a block is 16 bits, after that of its cluster (10.2).
    let offset = cue.time.subtractingClamped(clusterTime)
    guard Int64(Int16.min)...Int64(Int16.max) ~= offset else { return false }
    guard let relative = cue.block else { return true }
    var position = start.addingClamped(relative)
    guard let group = try window.header(at: position) else { return false }
    var block = group
    if group.id == .blockGroup {
      position += Int64(group.length)
      guard let child = try window.header(at: position) else { return false }
      block = child
    }
    guard block.id == .simpleBlock || block.id == .block, let size = block.size, size >= 4 else {
      return false
    }
    let bytes = try window.bytes(
      at: position + Int64(block.length), count: Int(min(size, 10)))
    var reader = ByteReader(bytes)
    guard let track = try EBMLHeader.number(from: &reader), UInt64(clamping: track) == cue.track
    else { return false }
    return Int64(try reader.big(Int16.self)) == offset
  }

  /// Returns `true` if one of the first blocks of audio or video is a sync sample.
  private func hasSyncSample(from first: Int64) throws(MediaError) -> Bool {
    var reader = ClusterReader(window, from: first, segmentEnd: layout.end)
    for _ in 0..<Self.searchedBlocks {
      guard let block = try reader.next() else { return false }
      if block.isKey, tracks.contains(block.track) { return true }
    }
    return false
  }
}
