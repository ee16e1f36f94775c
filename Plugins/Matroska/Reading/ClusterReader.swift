import RespoolPlugin

/// A reader of the blocks of a segment, cluster by cluster (RFC 9559 5.1.3).
///
/// Clusters and the segment may have an unknown size, as in live streams. After damage, reading continues
/// with the next cluster.
struct ClusterReader {
  private let window: SourceWindow
  private let segmentEnd: Int64?
  /// Position of the next element.
  private var position: Int64
  private var cluster: Open?
  /// Number of clusters since reading began, for element paths.
  private var clusterCount = 0
  private var isDamaged = false
  private var isEnded = false
  /// `true` if the checksums of clusters are verified.
  private let checksSums: Bool
  /// Damage of the cluster that was entered.
  private var fault: MediaError?

  private struct Open {
    let path: String
    /// End of the cluster.
    ///
    /// `nil` if unknown.
    let end: Int64?
    var time: Int64 = 0
    var blockCounts: [ElementID: Int] = [:]
  }

  /// Creates a reader that begins with the cluster at `position`.
  ///
  /// If `checksSums` is `true`, clusters are read as a whole to verify their checksums.
  init(
    _ window: SourceWindow, from position: Int64, segmentEnd: Int64?, checksSums: Bool = false
  ) {
    (self.window, self.position, self.segmentEnd) = (window, position, segmentEnd)
    self.checksSums = checksSums
  }

  /// Position of the cluster that contains the last block.
  private(set) var clusterPosition: Int64 = 0

  /// Elements that may follow a cluster.
  ///
  /// They end a cluster of unknown size.
  private static let upper: Set<ElementID> = [
    .cluster, .cues, .tags, .chapters, .attachments, .seekHead, .info, .tracks, .segment, .ebml,
  ]
  private static let largestGroup = 10_000

  /// Returns the next block.
  ///
  /// `nil` at the end.
  ///
  /// Throws once for each damaged place, and once if the file ends early. The next call continues after it.
  mutating func next() throws(MediaError) -> Block? {
    while !isEnded {
      if let fault = fault.take() { throw fault }
      do throws(MediaError) {
        if let block = try step() {
          isDamaged = false
          return block
        }
      } catch {
        guard error.code == .malformed else { throw error }
        let isFirst = !isDamaged
        isDamaged = true
        if !isEnded, needsSearch { try findCluster() }
        if isFirst { throw error }
      }
    }
    return nil
  }

  /// `true` if the position of the next element is unknown.
  private var needsSearch = false

  /// Reads one element.
  ///
  /// Returns `nil` if it is not a block.
  private mutating func step() throws(MediaError) -> Block? {
    if let end = cluster?.end, position >= end { cluster = nil }
    if let segmentEnd, position >= segmentEnd {
      isEnded = true
      try refuseDocument(at: segmentEnd)
      return nil
    }
    let start = position
    let header: EBMLHeader
    do throws(MediaError) {
      guard let found = try window.header(at: start) else {
        isEnded = true
        if cluster?.end != nil || segmentEnd != nil { throw endsEarly(at: start) }
        return nil
      }
      header = found
    } catch {
      if !isEnded {
        needsSearch = true
        if let size = window.source.size, size - start < Int64(EBMLHeader.longest),
          error.code == .malformed
        {
          isEnded = true
          throw endsEarly(at: size)
        }
      }
      throw error.inElement(cluster?.path ?? "Segment")
    }
    let payload = start + Int64(header.length)
    if Self.upper.contains(header.id) {
      return try enter(header, at: start)
    }
    guard let open = cluster else {
      guard let size = header.size, size <= (segmentEnd ?? .max).subtractingClamped(payload),
        header.id == .void || header.id == .crc32 || isFollowed(payload.addingClamped(size))
      else {
        needsSearch = true
        throw MediaError(
          .malformed, "\(header.id) was found where a cluster was expected", offset: start,
          path: "Segment")
      }
      position = payload.addingClamped(size)
      return nil
    }
    guard let size = header.size, size <= (open.end ?? .max).subtractingClamped(payload) else {
      needsSearch = true
      throw MediaError(
        .malformed,
        "\(header.id) has \(header.size.map { $0.counting("byte") } ?? "an unknown size"), more "
          + "than are left in the cluster",
        offset: start, path: open.path)
    }
    if let whole = window.source.size, size > whole - payload {
      isEnded = true
      throw endsEarly(at: whole, in: "\(open.path)/\(header.id)", start)
    }
    position = payload.addingClamped(size)
    return try read(header.id, payload..<position, at: start)
  }

  /// Returns `true` if the segment continues at a position, so that an unknown element before it is not
  /// damage.
  private func isFollowed(_ position: Int64) -> Bool {
    if let size = window.source.size, position >= size { return position == size }
    guard let header = try? window.header(at: position) else { return false }
    return Self.upper.contains(header.id) || header.id == .void
  }

  /// Reads an element of the cluster.
  private mutating func read(_ id: ElementID, _ payload: Range<Int64>, at start: Int64)
    throws(MediaError) -> Block?
  {
    switch id {
    case .timestamp:
      let bytes = try window.bytes(at: payload.lowerBound, count: min(payload.count, 16))
      let element = EBMLElement(
        id, in: cluster?.path ?? "", payload: ByteReader(bytes, origin: payload.lowerBound))
      do throws(MediaError) { cluster?.time = Int64(clamping: try element.unsigned) } catch {
        throw error.inElement(element.path)
      }
    case .simpleBlock, .blockGroup:
      let number = cluster?.blockCounts[id] ?? 0
      cluster?.blockCounts[id] = number + 1
      let path = "\(cluster?.path ?? "")/\(id)" + (number > 0 ? "[\(number)]" : "")
      do throws(MediaError) {
        return id == .blockGroup
          ? try group(payload, at: start, path) : try simple(payload, at: start, path)
      } catch { throw error.inElement(path) }
    default: break
    }
    return nil
  }

  private func time(_ head: Block.Head) -> Int64 {
    (cluster?.time ?? 0).addingClamped(Int64(head.time))
  }

  private func simple(_ payload: Range<Int64>, at start: Int64, _ path: String) throws(MediaError)
    -> Block
  {
    let head = try Block.Head(at: payload.lowerBound, size: Int64(payload.count), window)
    return Block(
      track: head.track, time: time(head), isKey: head.flags & 0x80 != 0, frames: head.frames,
      position: start, path: path)
  }

  private func group(_ payload: Range<Int64>, at start: Int64, _ path: String) throws(MediaError)
    -> Block?
  {
    var block: Block?
    var (duration, padding): (UInt64?, Int64) = (nil, 0)
    var refersToOthers = false
    var additions: [(id: UInt64, bytes: [UInt8])] = []
    var position = payload.lowerBound
    for _ in 0..<Self.largestGroup {
      guard position < payload.upperBound, let header = try window.header(at: position) else {
        break
      }
      let first = position + Int64(header.length)
      guard let size = header.size, size <= payload.upperBound - first else {
        throw MediaError(
          .malformed, "\(header.id) is larger than the rest of the group", offset: position)
      }
      position = first + size
      switch header.id {
      case .block:
        let head = try Block.Head(at: first, size: size, window)
        block = Block(
          track: head.track, time: time(head), isKey: true, frames: head.frames, position: start,
          path: path)
      case .blockDuration, .discardPadding, .referenceBlock, .blockAdditions:
        let bytes = try window.bytes(at: first, count: Int(clamping: size))
        let element = EBMLElement(header.id, in: path, payload: ByteReader(bytes, origin: first))
        if header.id == .blockDuration { duration = try element.unsigned }
        if header.id == .discardPadding { padding = try element.signed }
        if header.id == .referenceBlock { refersToOthers = true }
        if header.id == .blockAdditions { try Self.read(element, into: &additions) }
      default: break
      }
    }
    block?.isKey = !refersToOthers
    block?.duration = duration
    block?.discardPadding = padding
    block?.additions = additions
    return block
  }

  private static func read(
    _ element: EBMLElement, into additions: inout [(id: UInt64, bytes: [UInt8])]
  ) throws(MediaError) {
    try element.forEachChild { (more) throws(MediaError) in
      guard more.id == .blockMore else { return }
      var (id, bytes): (UInt64, [UInt8]) = (1, [])
      try more.forEachChild { (child) throws(MediaError) in
        if child.id == .blockAddID { id = try child.unsigned }
        if child.id == .blockAdditional { bytes = child.binary }
      }
      additions.append((id, bytes))
    }
  }

  // MARK: Clusters

  /// Enters a cluster, or skips another element of the segment.
  private mutating func enter(_ header: EBMLHeader, at start: Int64) throws(MediaError) -> Block? {
    if window.source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
    let payload = start + Int64(header.length)
    cluster = nil
    switch header.id {
    case .cluster:
      let number = clusterCount
      clusterCount += 1
      clusterPosition = start
      cluster = Open(
        path: "Segment/Cluster" + (number > 0 ? "[\(number)]" : ""),
        end: header.size.map { payload.addingClamped($0) })
      position = payload
      if checksSums, let open = cluster, let end = open.end, payload < end {
        fault = try ElementChecksum.fault(of: open.path, in: payload..<end, window.source)
      }
    case .segment, .ebml:
      isEnded = true
      try refuseDocument(at: start)
    default:
      guard let size = header.size else {
        needsSearch = true
        throw MediaError(
          .malformed, "\(header.id) has an unknown size; only clusters can", offset: start,
          path: "Segment/\(header.id)")
      }
      position = payload.addingClamped(size)
      if let whole = window.source.size, position > whole {
        isEnded = true
        throw endsEarly(at: whole, in: "Segment/\(header.id)", start)
      }
    }
    return nil
  }

  /// Throws `malformed` if another document begins at a position: concatenated files are not read further.
  private func refuseDocument(at position: Int64) throws(MediaError) {
    guard let size = window.source.size, position < size,
      try window.source.read(at: position, count: 4) == [0x1A, 0x45, 0xDF, 0xA3]
    else { return }
    throw MediaError(
      .malformed,
      "another file begins after the first one; its "
        + "\((size - position).counting("byte", "is", "are")) not read",
      offset: position)
  }

  private func endsEarly(at size: Int64, in path: String? = nil, _ start: Int64? = nil)
    -> MediaError
  {
    let expected = cluster?.end ?? segmentEnd
    let missing = max(expected ?? 0, segmentEnd ?? 0) - size
    let words =
      missing > 0 ? "; \(missing) more are expected: the file is cut off" : ": the file is cut off"
    return MediaError(
      .malformed, "the file ends after \(size.counting("byte"))" + words, offset: start ?? size,
      path: path ?? cluster?.path ?? "Segment", detail: .endsEarly)
  }

  /// Skips to the first cluster at or after the position, which need not be that of an element.
  mutating func search() throws(MediaError) {
    position -= 1
    try findCluster()
  }

  /// Skips to the next cluster after damage, or to the end.
  private mutating func findCluster() throws(MediaError) {
    needsSearch = false
    cluster = nil
    let pattern: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
    let step = 1 << 16
    var start = position + 1
    while true {
      if window.source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      let bytes = try window.source.read(at: start, count: step)
      var index = 0
      while index + 4 <= bytes.count {
        if bytes[index] == 0x1F, bytes[index..<index + 4].elementsEqual(pattern),
          begins(at: start + Int64(index))
        {
          position = start + Int64(index)
          return
        }
        index += 1
      }
      guard bytes.count == step else { break }
      start += Int64(step - 3)
    }
    isEnded = true
  }

  /// Returns `true` if a cluster at `offset` begins with a valid first child.
  private func begins(at offset: Int64) -> Bool {
    guard let header = try? window.header(at: offset),
      let child = try? window.header(at: offset + Int64(header.length))
    else { return false }
    return [.timestamp, .crc32, .position, .prevSize, .void].contains(child.id)
  }
}
