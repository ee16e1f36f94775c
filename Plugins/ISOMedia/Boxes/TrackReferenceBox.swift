import RespoolPlugin

/// `tref`: references to other tracks (ISO/IEC 14496-12 8.3.3).
struct TrackReferenceBox: Box {
  static let type: FourCC = "tref"

  struct Reference: Hashable, Sendable {
    var type: FourCC
    var trackIDs: [UInt32]
  }

  var references: [Reference]

  init(references: [Reference]) { self.references = references }

  init(from reader: inout ByteReader) throws(MediaError) {
    references = []
    while case (let type, var payload)? = try reader.nextBox() {
      references.append(
        Reference(type: type, trackIDs: try payload.words(payload.remaining / 4)))
    }
  }

  func write(to writer: inout BoxWriter) {
    for reference in references {
      writer.box(reference.type) { $0.words(reference.trackIDs) }
    }
  }
}
