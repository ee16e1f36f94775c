import RespoolPlugin

/// Frames of one track that are stored together, with their properties (RFC 9559 5.1.3.4, 5.1.3.5, 10).
struct Block {
  var track: UInt64
  /// Timestamp in units of the segment's timestamp scale.
  var time: Int64
  var isKey: Bool
  /// Duration in units of the timestamp scale.
  ///
  /// `nil` if not stored.
  var duration: UInt64?
  /// Nanoseconds to trim from the end of the decoded last frame.
  var discardPadding: Int64 = 0
  /// Additional data by BlockAddID.
  var additions: [(id: UInt64, bytes: [UInt8])] = []
  /// Ranges of the frames in the source, in decoding order.
  var frames: [Range<Int64>]
  /// Position of the element in the source.
  var position: Int64
  /// Element path of the block.
  var path: String

  /// The header of a block: track number, relative timestamp, flags, lacing.
  struct Head {
    let track: UInt64
    let time: Int16
    let flags: UInt8
    let frames: [Range<Int64>]

    /// Maximum number of bytes for the frame sizes of a laced block.
    private static let longestLacing = 1 << 16

    /// Parses the header of a block whose payload is `size` bytes at `start`.
    init(at start: Int64, size: Int64, _ window: SourceWindow) throws(MediaError) {
      var bytes = try window.bytes(at: start, count: Int(min(size, 12)))
      var reader = ByteReader(bytes, origin: start)
      guard let number = try EBMLHeader.number(from: &reader), number > 0 else {
        throw MediaError(.malformed, "a block has no track number", offset: start)
      }
      track = UInt64(number)
      time = Int16(bitPattern: try reader.big(UInt16.self))
      flags = try reader.u8()
      let lacing = flags >> 1 & 3
      guard lacing != 0 else {
        frames = [start + Int64(reader.position)..<start + size]
        return
      }
      let position = reader.position
      bytes = try window.bytes(at: start, count: Int(min(size, Int64(Self.longestLacing))))
      reader = ByteReader(bytes, origin: start)
      try reader.seek(to: position)
      frames = try Self.laced(lacing, &reader, start: start, size: size)
    }

    /// Parses the sizes of laced frames (RFC 9559 10.3).
    private static func laced(
      _ lacing: UInt8, _ reader: inout ByteReader, start: Int64, size: Int64
    ) throws(MediaError) -> [Range<Int64>] {
      let count = Int(try reader.u8()) + 1
      var sizes: [Int64] = []
      switch lacing {
      case 1:
        for _ in 0..<count - 1 {
          var frame: Int64 = 0
          var byte: UInt8
          repeat {
            byte = try reader.u8()
            frame += Int64(byte)
          } while byte == 255
          sizes.append(frame)
        }
      case 3:
        for index in 0..<count - 1 {
          let before = reader.position
          guard let value = try EBMLHeader.number(from: &reader) else {
            throw MediaError(.malformed, "a laced frame has an unknown size", offset: reader.offset)
          }
          guard index > 0 else {
            sizes.append(value)
            continue
          }
          // The difference from the frame before, stored with half of the range added.
          let bits = 7 * Int64(reader.position - before) - 1
          let (frame, overflow) = (sizes.last ?? 0).addingReportingOverflow(
            value - (1 << bits - 1))
          guard !overflow else {
            throw MediaError(.malformed, "a laced frame has an invalid size", offset: reader.offset)
          }
          sizes.append(frame)
        }
      default: break
      }
      var position = start + Int64(reader.position)
      let end = start + size
      if lacing == 2 {
        guard (end - position) % Int64(count) == 0 else {
          throw MediaError(
            .malformed,
            "\((end - position).counting("byte")) cannot be divided into \(count) equal frames",
            offset: position)
        }
        sizes = Array(repeating: (end - position) / Int64(count), count: count - 1)
      }
      var frames: [Range<Int64>] = []
      for frame in sizes {
        guard frame >= 0, frame <= end - position else {
          throw MediaError(
            .malformed,
            "a laced frame has \(frame.counting("byte")), but \(end - position) are left",
            offset: position)
        }
        frames.append(position..<position + frame)
        position += frame
      }
      frames.append(position..<end)
      return frames
    }
  }
}
