import RespoolPlugin

/// Positions of the file's top-level boxes that the demuxer needs.
struct FileLayout {
  var fileType: FileTypeBox?
  var movie: ByteReader?
  /// File offset after the movie box, at which the search for fragments begins.
  var fragmentsStart: Int64 = 0
  /// A sentence about the box that reaches beyond the end of the file.
  ///
  /// `nil` if all boxes are complete.
  var missing: String?
  /// `true` if that box is the movie box, whose last tables or tags are then missing.
  private(set) var isMovieCut = false
  /// Boxes outside the movie that other specifications define.
  private(set) var others = ForeignBoxes()

  /// Scans the boxes of the file up to the movie.
  init(_ source: ByteSource) throws(MediaError) {
    var offset: Int64 = 0
    var mediaBox: (offset: Int64, size: Int64?)?
    // Every step advances by at least 8 bytes; the limit stops a chain of empty boxes from taking forever.
    for _ in 0..<1_000_000 {
      guard let box = try source.boxHeader(at: offset) else { break }
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      let start = offset + box.headerSize
      switch box.type {
      case FileTypeBox.type where fileType == nil:
        let size = min((box.size ?? 0) - box.headerSize, 4096)
        var reader = ByteReader(try source.read(at: start, count: Int(size)), origin: start)
        fileType = try? FileTypeBox(from: &reader)
      case "moov":
        let size = (box.size ?? Int64(Movie.largest)) - box.headerSize
        guard size <= Movie.largest else {
          throw MediaError(
            .limitExceeded,
            "the movie box has \(size.counting("byte")); at most \(Movie.largest) are read",
            offset: offset, path: "moov")
        }
        movie = ByteReader(try source.read(at: start, count: Int(size)), origin: start)
        fragmentsStart = box.size.map { offset.addingClamped($0) } ?? .max
        missing = try incompleteBox(source, from: fragmentsStart)
        if let size = box.size, let whole = source.size, size > whole - offset {
          missing = Self.sentence("moov", offset, declares: size, there: whole - offset)
          isMovieCut = true
        }
        return
      case "mdat":
        // Some recorders set the size at the end.
        mediaBox = (offset, box.size.flatMap { $0 > box.headerSize ? $0 : nil })
      default: try others.add(source, box, at: offset)
      }
      guard let size = box.size else { break }
      let (next, overflow) = offset.addingReportingOverflow(size)
      guard !overflow else { break }
      offset = next
    }
    throw Self.lacksMovie(mediaBox, fileSize: source.size)
  }

  /// Returns the error for a file without a movie box, which states the media that is there and the remedy.
  private static func lacksMovie(_ media: (offset: Int64, size: Int64?)?, fileSize: Int64?)
    -> MediaError
  {
    let words = "there is no movie box (moov), which lists the samples"
    guard let media else {
      return MediaError(
        .malformed,
        "\(words), and no media (mdat): the file is cut off before both, or is no movie")
    }
    let there = fileSize.map { $0 - media.offset }
    if let size = media.size, let there, size > there {
      return MediaError(
        .malformed,
        "\(words): \(sentence("mdat", media.offset, declares: size, there: there)), so the file is "
          + "cut off before it; copy the whole file again", offset: media.offset)
    }
    let amount = there.map { ", but \($0) bytes of media (mdat)" } ?? ", but media (mdat)"
    return MediaError(
      .malformed,
      "\(words)\(amount): the file is still being written, or its recording was interrupted. If it is "
        + "complete, a repair tool, such as untrunc, can rebuild the movie box from another file of the "
        + "same device", offset: media.offset)
  }
}

extension FileLayout {
  /// Returns a sentence about the box after the movie that reaches beyond the end of the file; `nil` if there is none.
  ///
  /// Only media and its index count (ISO/IEC 14496-12 8.1.1, 8.8.4, 8.8.9). Players do not need the missing part of free
  /// space.
  private mutating func incompleteBox(_ source: ByteSource, from start: Int64) throws(MediaError)
    -> String?
  {
    guard source.isSeekable, let whole = source.size else { return nil }
    var offset = start
    for _ in 0..<1_000_000 {
      guard offset < whole else { return nil }
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      // Stops at data after the boxes that is not a box.
      guard let box = try? source.boxHeader(at: offset), let size = box.size,
        size >= box.headerSize, box.type.isPrintable
      else { return nil }
      let (next, overflow) = offset.addingReportingOverflow(size)
      // Some writers count a header of the box twice.
      guard !overflow, next <= whole + 16 else {
        guard ["mdat", "moof", "mfra"].contains("\(box.type)") else { return nil }
        return Self.sentence("\(box.type)", offset, declares: size, there: whole - offset)
      }
      try others.add(source, box, at: offset)
      offset = next
    }
    return nil
  }

  private static func sentence(
    _ box: String, _ offset: Int64, declares size: Int64, there: Int64
  ) -> String {
    "the box \(box) at byte \(offset) declares \(size.counting("byte")), but \(there) are present"
  }
}

extension ByteSource {
  /// Returns the header of the box at `offset`, or `nil` at the end of the source.
  func boxHeader(at offset: Int64) throws(MediaError) -> BoxHeader? {
    if let size, offset >= size { return nil }
    let bytes = try read(at: offset, count: BoxHeader.longest)
    guard bytes.count >= 8 else { return nil }
    var reader = ByteReader(bytes, origin: offset)
    return try BoxHeader(from: &reader)
  }
}
