import RespoolPlugin

/// The metadata blocks of a FLAC file (RFC 9639 8) that FFmpeg reads in part or not at all.
struct FLACBlocks {
  private(set) var tags: [NativeTag] = []
  /// Pictures in formats that FFmpeg passes over, such as AVIF.
  private(set) var attachments: [TrackDescription] = []
  /// Blocks that no other container has a place for.
  private(set) var parts: [String] = []

  private static let most = 1000
  private static let largest = 1 << 24

  /// Reads the blocks; what comes behind damage is left out.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource) throws(MediaError) {
    do throws(MediaError) {
      // The first block follows the marker `fLaC`.
      var place = try ID3Prefix.end(in: source) + 4
      var isLast = false
      for _ in 0..<Self.most where !isLast {
        let head = try source.readExactly(at: place, count: 4)
        isLast = head[0] & 0x80 != 0
        let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
        let type = head[0] & 0x7F
        if Self.isRead(type), length < Self.largest {
          add(type, try source.readExactly(at: place + 4, count: length))
        }
        place += 4 + Int64(length)
      }
    } catch {
      if error.code == .cancelled || error.code == .io { throw error }
    }
  }

  /// `false` for the stream's own description, padding and the table of places to search.
  private static func isRead(_ type: UInt8) -> Bool { ![0, 1, 3].contains(type) }

  private mutating func add(_ type: UInt8, _ block: [UInt8]) {
    switch type {
    case 2:
      let id = block.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
      parts.append("application block '\(FourCC(rawValue: id))' of FLAC")
    case 4:
      guard var comments = try? VorbisComments(block) else { return }
      comments.fields = comments.fieldsWithoutChapters
      tags += comments.tags
    case 5:
      if Self.hasMoreThanTracks(cueSheet: block) {
        parts.append("catalogue number or indexes in the cue sheet of FLAC")
      }
    case 6:
      guard let picture = try? FLACPicture(block: block) else { return }
      let file = TrackDescription(
        unknownPicture: picture.data, type: picture.mimeType, about: picture.description,
        number: attachments.count + 1)
      if let file { attachments.append(file) }
    default: parts.append("block of type \(type) of FLAC")
    }
  }

  /// `true` if a cue sheet (8.7) says more than where its tracks start, which FFmpeg makes chapters of.
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
