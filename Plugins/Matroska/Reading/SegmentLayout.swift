import RespoolPlugin

/// The EBML header and the elements of the segment other than its clusters (RFC 9559 5.1).
struct SegmentLayout {
  /// `matroska` or `webm`.
  private(set) var docType = "matroska"
  /// Position of the segment's payload, to which positions in the file are relative.
  private(set) var origin: Int64 = 0
  /// End of the segment according to its header.
  ///
  /// `nil` if unknown.
  private(set) var end: Int64?
  /// Position of the first cluster.
  ///
  /// `nil` if none was found.
  private(set) var firstCluster: Int64?
  /// Direct children of the segment, in file order, with their payload in memory.
  private(set) var elements: [EBMLElement] = []
  /// Attached files.
  ///
  /// Their data stays in the source.
  private(set) var attachments: [AttachedFile] = []
  /// Damage that does not prevent the file from being read.
  private(set) var warning: String?
  private var seen: Set<Int64> = []

  /// Maximum size of an element that is read: real ones have some kilobytes.
  private static let largestElement: Int64 = 32 << 20
  /// Maximum number of elements before the first cluster or in seek heads.
  private static let mostElements = 1000
  private static let path = "Segment"

  /// Finds the elements of the file without reading a cluster.
  ///
  /// Throws `unsupported` if the file is not Matroska or WebM, `malformed` if it has no segment.
  init(_ window: SourceWindow) throws(MediaError) {
    var position = try readHeader(window)
    guard let segment = try Self.find(.segment, from: position, window) else {
      throw MediaError(.malformed, "there is no segment after the EBML header", offset: position)
    }
    origin = segment.payload
    end = segment.size.map { segment.payload.addingClamped($0) }
    position = origin
    do throws(MediaError) { try readFront(&position, window) } catch {
      // Clusters after the damage can still be found by their identifier.
      guard error.code == .malformed, elements.contains(where: { $0.id == .tracks }) else {
        throw error
      }
      note(error)
      firstCluster = firstCluster ?? position
    }
    readSought(window)
    if elements.contains(where: { $0.id == .tracks }) == false {
      throw MediaError(.malformed, "the segment has no Tracks", path: Self.path)
    }
  }

  /// Returns the elements with an identifier, in file order.
  func all(_ id: ElementID) -> [EBMLElement] { elements.filter { $0.id == id } }

  private mutating func note(_ error: MediaError) {
    if warning == nil { warning = error.description }
  }

  /// Parses the EBML header (RFC 8794 11.2.1) and returns its end.
  private mutating func readHeader(_ window: SourceWindow) throws(MediaError) -> Int64 {
    guard let header = try window.header(at: 0), header.id == .ebml, let size = header.size,
      size <= 1 << 16
    else { throw MediaError(.unsupported, "the file does not begin with an EBML header") }
    let start = Int64(header.length)
    let bytes = try window.bytes(at: start, count: Int(size))
    let element = EBMLElement(.ebml, in: "", payload: ByteReader(bytes, origin: start))
    var type = docType
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .docType: type = child.text
      case .ebmlReadVersion where try child.unsigned > 1:
        throw MediaError(
          .unsupported, "the EBML version is \(try child.unsigned); version 1 is supported")
      case .ebmlMaxIDLength where try child.unsigned > 4:
        throw MediaError(
          .unsupported,
          "identifiers have up to \((try child.unsigned).counting("byte")); 4 are supported")
      case .ebmlMaxSizeLength where try child.unsigned > 8:
        throw MediaError(
          .unsupported, "sizes have up to \((try child.unsigned).counting("byte")); 8 are supported"
        )
      default: break
      }
    }
    guard type == "matroska" || type == "webm" else {
      throw MediaError(.unsupported, "the EBML document is a \(type), not matroska or webm")
    }
    docType = type
    return start + size
  }

  private static func find(_ id: ElementID, from start: Int64, _ window: SourceWindow)
    throws(MediaError) -> (payload: Int64, size: Int64?)?
  {
    var position = start
    for _ in 0..<16 {
      guard let header = try window.header(at: position) else { return nil }
      let payload = position + Int64(header.length)
      if header.id == id { return (payload, header.size) }
      guard let size = header.size else { return nil }
      position = payload.addingClamped(size)
    }
    return nil
  }

  /// Reads the elements before the first cluster.
  private mutating func readFront(_ position: inout Int64, _ window: SourceWindow)
    throws(MediaError)
  {
    for _ in 0..<Self.mostElements {
      if let end, position >= end { return }
      guard let header = try window.header(at: position) else { return }
      if header.id == .cluster {
        firstCluster = position
        return
      }
      guard let size = header.size else {
        throw MediaError(
          .malformed, "\(header.id) has an unknown size; only clusters can", offset: position,
          path: "\(Self.path)/\(header.id)")
      }
      try read(header, size, at: position, window)
      position = (position + Int64(header.length)).addingClamped(size)
    }
    throw MediaError(
      .limitExceeded, "there are more than \(Self.mostElements) elements before the clusters",
      path: Self.path)
  }

  /// Reads the elements in the seek heads that have not been read yet: those after the clusters.
  private mutating func readSought(_ window: SourceWindow) {
    guard window.source.isSeekable else { return }
    var next = 0
    let heads: () -> [EBMLElement] = { [elements] in elements.filter { $0.id == .seekHead } }
    var waiting = heads()
    while next < waiting.count, next < 16 {
      let head = waiting[next]
      next += 1
      for (id, position) in Self.entries(of: head) {
        guard id != .cluster, !position.overflow, elements.count < Self.mostElements else {
          continue
        }
        let offset = origin.addingClamped(position.value)
        guard !seen.contains(offset) else { continue }
        do throws(MediaError) {
          guard let header = try window.header(at: offset), header.id == id, let size = header.size
          else { continue }
          try read(header, size, at: offset, window)
        } catch { note(error) }
      }
      waiting = heads()
    }
  }

  private static func entries(of head: EBMLElement) -> [(ElementID, (value: Int64, overflow: Bool))]
  {
    var result: [(ElementID, (value: Int64, overflow: Bool))] = []
    try? head.forEachChild { (seek) throws(MediaError) in
      guard seek.id == .seek, result.count < mostElements else { return }
      var id: UInt32?
      var position: UInt64?
      try seek.forEachChild { (part) throws(MediaError) in
        if part.id == .seekID { id = UInt32(truncatingIfNeeded: try part.unsigned) }
        if part.id == .seekPosition { position = try part.unsigned }
      }
      guard let id, let position else { return }
      result.append((ElementID(id), (Int64(clamping: position), position > 1 << 62)))
    }
    return result
  }

  private mutating func read(
    _ header: EBMLHeader, _ size: Int64, at position: Int64, _ window: SourceWindow
  ) throws(MediaError) {
    guard seen.insert(position).inserted else { return }
    let start = position + Int64(header.length)
    let count = elements.count { $0.id == header.id }
    switch header.id {
    case .info, .tracks, .seekHead, .cues, .chapters, .tags:
      let path = "\(Self.path)/\(header.id)"
      guard size <= Self.largestElement else {
        throw MediaError(
          .limitExceeded,
          "\(header.id) has \(size.counting("byte")); at most \(Self.largestElement) are read",
          offset: position, path: path)
      }
      let bytes = try window.bytes(at: start, count: Int(size))
      guard bytes.count == Int(size) else {
        throw MediaError(
          .malformed,
          "\(header.id) has \(size.counting("byte")), but the file ends after \(bytes.count)",
          offset: start, path: path)
      }
      elements.append(
        EBMLElement(
          header.id, in: Self.path, number: count,
          payload: ByteReader(Array(bytes), origin: start)))
    case .attachments:
      do throws(MediaError) {
        attachments += try AttachedFile.all(from: start, size: size, window)
      } catch { note(error) }
    default: break
    }
  }
}
