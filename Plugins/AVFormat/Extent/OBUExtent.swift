import RespoolPlugin

/// Raw AV1: checks that the last OBU is complete, in streams whose OBUs state their sizes (AV1 specification 5.3.1).
enum OBUExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    var window = SourceWindow(source)
    var offset: Int64 = 0
    while offset < size {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      var reader = ByteReader(try window.bytes(at: offset, count: 10))
      let header = try reader.u8()
      // The first bit must be 0; bit 1 tells that the size is stored.
      guard header & 0x82 == 2 else { return nil }
      var length: Int64 = 0
      do throws(MediaError) {
        if header & 4 != 0 { try reader.skip(1) }
        for index in 0..<8 {
          let byte = try reader.u8()
          length |= Int64(byte & 0x7F) << Int64(7 * index)
          if byte & 0x80 == 0 { break }
        }
      } catch { return "the file ends within the header of an OBU" }
      offset += Int64(reader.position)
      guard length <= size - offset else {
        return DeclaredExtent.sentence("the last OBU", declares: length, there: size - offset)
      }
      offset += length
    }
    return nil
  }
}
