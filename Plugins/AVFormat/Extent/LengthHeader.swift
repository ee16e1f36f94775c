import RespoolPlugin

/// The numbers of bytes and frames in the first frame of an MP3 file: a Xing, Info or VBRI header.
struct LengthHeader {
  /// Number of bytes; most writers count from this header's frame on.
  var bytes: Int64?
  /// Number of frames; most writers leave out this header's frame.
  var frames: Int64?
  /// `true` if the writer is known to leave out this header's frame in the number of frames.
  private var leavesOutItself = false

  /// Bytes of the first frame that may contain the header.
  static let size = 256

  /// Reads the header in the first bytes of a frame; `nil` if there is none.
  init?(_ frame: [UInt8]) {
    guard frame.count == Self.size, frame[0] == 0xFF, frame[1] & 0xE0 == 0xE0 else { return nil }
    func number(_ offset: Int) -> Int64 {
      frame[offset..<offset + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
    // The Xing header follows the side information, whose length depends on version and channels. VBRI
    // follows 32 bytes.
    for offset in [36, 21, 13] {
      let name = Array(frame[offset..<offset + 4])
      guard name == Array("Xing".utf8) || name == Array("Info".utf8) else { continue }
      let flags = number(offset + 4)
      var position = offset + 8
      if flags & 1 != 0 {
        frames = number(position)
        position += 4
      }
      if flags & 2 != 0 {
        bytes = number(position)
        position += 4
      }
      // A table of 100 bytes and a quality precede the name of the encoder.
      position += (flags & 4 != 0 ? 100 : 0) + (flags & 8 != 0 ? 4 : 0)
      leavesOutItself = ["LAME", "Lavf", "Lavc"].contains {
        frame[position...].starts(with: $0.utf8)
      }
      return
    }
    guard frame[36...].starts(with: "VBRI".utf8) else { return nil }
    (bytes, frames, leavesOutItself) = (number(46), number(50), true)
  }

  /// Returns a sentence if there are fewer frames than stated; `nil` otherwise.
  ///
  /// `count` includes this header's frame.
  func lack(of count: Int64) -> String? {
    guard let frames, frames > 0 else { return nil }
    let found = leavesOutItself ? count - 1 : count
    guard found < frames else { return nil }
    return "the Xing or VBRI header declares \(frames.counting("frame")), but \(found) are present"
  }
}
