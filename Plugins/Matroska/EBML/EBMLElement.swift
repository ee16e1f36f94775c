import RespoolPlugin

/// An EBML element whose payload is in memory (RFC 8794).
struct EBMLElement {
  let id: ElementID
  /// Path of the parent for messages; empty at the top level.
  let parentPath: String
  /// Index among the parent's children with the same identifier, from 0.
  let number: Int
  let payload: ByteReader

  init(_ id: ElementID, in parentPath: String, number: Int = 0, payload: ByteReader) {
    (self.id, self.parentPath, self.number, self.payload) = (id, parentPath, number, payload)
  }

  /// Path of the element for messages, such as `Segment/Tracks/TrackEntry[1]`.
  ///
  /// Unlike the paths of EBML schemas (RFC 8794 11.1.6.2), it contains indices.
  var path: String {
    (parentPath.isEmpty ? "" : parentPath + "/") + (number > 0 ? "\(id)[\(number)]" : "\(id)")
  }

  /// Calls `body` with each child element, in file order.
  ///
  /// Children are created one at a time, so memory does not grow with their number. Throws `malformed` if a child is
  /// larger than the rest of the parent.
  func forEachChild(_ body: (EBMLElement) throws(MediaError) -> Void) throws(MediaError) {
    var reader = payload
    var counts: [ElementID: Int] = [:]
    let path = path
    while !reader.isAtEnd {
      let start = reader.offset
      let child: EBMLElement
      do throws(MediaError) {
        let header = try EBMLHeader(from: &reader)
        // Only a segment and a cluster may have an unknown size (RFC 9559 5.1).
        guard let size = header.size.flatMap(Int.init(exactly:)), size <= reader.remaining else {
          throw MediaError(
            .malformed,
            "\(header.id) has \(header.size.map { $0.counting("byte") } ?? "an unknown size"), "
              + "but \(reader.remaining) are left",
            offset: start)
        }
        let number = counts[header.id, default: 0]
        counts[header.id] = number + 1
        child = EBMLElement(header.id, in: path, number: number, payload: try reader.sub(size))
      } catch {
        throw error.inElement(path)
      }
      do throws(MediaError) { try body(child) } catch { throw error.inElement(child.path) }
    }
  }

  /// Unsigned integer of 0 to 8 bytes.
  ///
  /// No bytes mean 0.
  var unsigned: UInt64 {
    get throws(MediaError) {
      var reader = payload
      try check(8)
      return try reader.big(bytes: payload.count)
    }
  }

  /// Unsigned integer, clamped to `Int`.
  var clampedInteger: Int { get throws(MediaError) { Int(clamping: try unsigned) } }

  /// Signed integer of 0 to 8 bytes.
  ///
  /// No bytes mean 0.
  var signed: Int64 {
    get throws(MediaError) {
      let count = payload.count
      let value = try unsigned
      guard count > 0 else { return 0 }
      let shift = UInt64(64 - 8 * count)
      return Int64(bitPattern: value << shift) >> Int64(shift)
    }
  }

  /// Floating-point number of 0, 4 or 8 bytes.
  ///
  /// No bytes mean 0.
  var float: Double {
    get throws(MediaError) {
      let bits = try unsigned
      switch payload.count {
      case 0: return 0
      case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      case 8: return Double(bitPattern: bits)
      default:
        throw MediaError(
          .malformed,
          "a floating point number has \(payload.count.counting("byte")) instead of 0, 4 or 8",
          offset: payload.origin)
      }
    }
  }

  /// UTF-8 text up to the first zero byte (RFC 8794 7.5).
  var text: String {
    String(decoding: payload.bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  var binary: [UInt8] { Array(payload.bytes) }

  private func check(_ most: Int) throws(MediaError) {
    guard payload.count <= most else {
      throw MediaError(
        .malformed, "a number has \(payload.count.counting("byte")); at most \(most) are possible",
        offset: payload.origin)
    }
  }
}

extension MediaError {
  /// Returns the error with the path of the element, unless it has one already.
  func inElement(_ path: String) -> MediaError {
    var error = self
    if error.path == nil { error.path = path }
    return error
  }
}
