import RespoolPlugin

/// Pictures of an ID3 tag in front of a file in formats that libavformat passes over (ID3 2.3.0 4.15, 2.4.0 4.14).
///
/// Tags of version 2.2, and those that are coded against false synchronisation, are left to libavformat.
enum ID3Pictures {
  private static let largest = 1 << 25

  /// Returns an attached file for each; what comes behind damage is left out.
  static func attachments(in source: ByteSource) throws(MediaError) -> [TrackDescription] {
    let head = try source.read(at: 0, count: 10)
    guard head.count == 10, head.starts(with: Array("ID3".utf8)), head[3] == 3 || head[3] == 4,
      head[5] & 0xC0 == 0
    else { return [] }
    var found: [TrackDescription] = []
    do throws(MediaError) {
      let size = Int(ID3Length.syncSafe(head[6...]))
      var frames = ByteReader(try source.read(at: 10, count: min(size, largest)), origin: 10)
      while frames.remaining > 10 {
        let name = try frames.text(4)
        let count = try frames.take(4)
        let flags = try frames.big(UInt16.self)
        let isSyncSafe = head[3] == 4 && count.allSatisfy { $0 < 0x80 }
        let length =
          isSyncSafe ? Int(ID3Length.syncSafe(count)) : count.reduce(0) { $0 << 8 | Int($1) }
        var frame = try frames.sub(length)
        guard name == "APIC", flags & 0xFF == 0 else { continue }
        if let file = try picture(&frame, number: found.count + 1) { found.append(file) }
      }
    } catch {
      if error.code == .cancelled || error.code == .io { throw error }
    }
    return found
  }

  private static func picture(_ frame: inout ByteReader, number: Int) throws(MediaError)
    -> TrackDescription?
  {
    let encoding = try frame.u8()
    let type = String(decoding: try text(&frame, isWide: false), as: UTF8.self)
    try frame.skip(1)
    let isWide = encoding == 1 || encoding == 2
    let about = try text(&frame, isWide: isWide)
    let bytes = try frame.take(frame.remaining)
    // Descriptions in UTF-16 are left out.
    return TrackDescription(
      unknownPicture: bytes, type: type,
      about: isWide ? "" : String(decoding: about, as: UTF8.self),
      number: number)
  }

  /// Takes what is in front of the next zero, and the zero.
  private static func text(_ frame: inout ByteReader, isWide: Bool) throws(MediaError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let unit = try frame.take(isWide ? 2 : 1)
      if unit.allSatisfy({ $0 == 0 }) { return bytes }
      bytes += unit
    }
  }
}
