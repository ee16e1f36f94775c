import RespoolPlugin

/// The metadata blocks of a FLAC file (RFC 9639 8) that FFmpeg reads partly or not at all.
struct FLACBlocks {
  private(set) var tags: [NativeTag] = []
  private(set) var comments: VorbisComments?
  /// Pictures in formats that FFmpeg ignores, such as AVIF.
  private(set) var attachments: [TrackDescription] = []
  /// Descriptions of blocks that no muxer writes.
  private(set) var parts: [String] = []
  /// Application blocks with their headers.
  private var applications: [UInt8] = []
  private var cueSheet: [UInt8]?

  private static let most = 1000
  private static let largest = 1 << 24

  /// Maximum number of comments.
  ///
  /// FFmpeg's time grows with the square of their number, so a file with more may be an attack.
  private static let mostComments: UInt32 = 10_000

  /// Throws `limitExceeded` if a FLAC file has more comments than the maximum.
  static func checkCount(in source: ByteSource) throws(MediaError) {
    if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
    var position = try ID3Prefix.end(in: source)
    guard try source.read(at: position, count: 4) == Array("fLaC".utf8) else { return }
    position += 4
    for _ in 0..<most {
      let head = try source.read(at: position, count: 8)
      guard head.count == 8 else { return }
      let length = head[1..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      if head[0] & 0x7F == 4 {
        // The vendor string precedes the count.
        let vendor = head[4...].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        var reader = ByteReader(try source.read(at: position + 8 + vendor, count: 4))
        let count = (try? reader.little(UInt32.self)) ?? 0
        // Each comment takes at least four bytes.
        guard count > mostComments, Int64(mostComments) * 4 < length else { return }
        throw MediaError(
          .limitExceeded, "the file has \(count) comments; at most \(mostComments) are read",
          offset: position)
      }
      guard head[0] & 0x80 == 0 else { return }
      position += 4 + length
    }
  }

  /// Reads the blocks up to the first damaged one.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource) throws(MediaError) {
    do throws(MediaError) {
      // The first block follows the marker `fLaC`.
      var position = try ID3Prefix.end(in: source) + 4
      var isLast = false
      for _ in 0..<Self.most where !isLast {
        let head = try source.readExactly(at: position, count: 4)
        isLast = head[0] & 0x80 != 0
        let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
        let type = head[0] & 0x7F
        if Self.isRead(type), length < Self.largest {
          add(type, try source.readExactly(at: position + 4, count: length))
        }
        position += 4 + Int64(length)
      }
    } catch {
      if error.code == .cancelled || error.code == .io { throw error }
    }
  }

  /// Returns the records of blocks that are copied unchanged.
  func records(sampleRate: Int) -> [SideData] {
    let sheet = cueSheet.map { sheet in
      SideData(.flacCueSheet, UInt32(clamping: sampleRate).bigEndianBytes + sheet)
    }
    return (applications.isEmpty ? [] : [SideData(.flacApplications, applications)])
      + (sheet.map { [$0] } ?? [])
  }

  /// Returns `false` for STREAMINFO, padding and the seek table.
  private static func isRead(_ type: UInt8) -> Bool { ![0, 1, 3].contains(type) }

  private mutating func add(_ type: UInt8, _ block: [UInt8]) {
    switch type {
    case 2:
      applications += [type] + UInt32(block.count).bigEndianBytes.dropFirst() + block
    case 4:
      guard var comments = try? VorbisComments(block) else { return }
      self.comments = comments
      comments.fields = comments.fieldsWithoutChapters
      tags += comments.tags
    case 5:
      if Self.hasMoreThanTracks(cueSheet: block) { cueSheet = block }
    case 6:
      guard let picture = try? FLACPicture(block: block) else { return }
      if picture.isLink { parts.append("linked picture") }
      guard !Self.isCover(picture.mimeType) else { return }
      let file = TrackDescription(
        attachedPicture: picture.data, type: picture.mimeType, about: picture.description,
        number: attachments.count + 1)
      if let file { attachments.append(file) }
    default: parts.append("block of type \(type) of FLAC")
    }
  }

  /// Returns `true` for the type of a picture that libavformat returns as a cover.
  static func isCover(_ mimeType: String) -> Bool {
    let known: Set<String> = [
      "image/gif", "image/jpeg", "image/jpg", "image/png", "image/tiff", "image/bmp",
    ]
    return known.contains(mimeType.lowercased())
  }

  /// Returns `true` if a cue sheet (8.7) stores more than the start of its tracks, which FFmpeg returns as
  /// chapters.
  private static func hasMoreThanTracks(cueSheet: [UInt8]) -> Bool {
    var reader = ByteReader(cueSheet)
    guard let catalogue = try? reader.take(128), (try? reader.skip(8 + 259)) != nil,
      let count = try? reader.u8()
    else { return false }
    if catalogue.first != 0 { return true }
    for _ in 0..<count {
      guard (try? reader.skip(35)) != nil, let indexes = try? reader.u8() else { return false }
      if indexes > 1 { return true }
      guard (try? reader.skip(Int(indexes) * 12)) != nil else { return false }
    }
    return false
  }
}
