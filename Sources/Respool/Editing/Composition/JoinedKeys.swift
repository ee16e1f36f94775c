import RespoolMedia

/// The keys of timed metadata that comes from several files, each of which numbers its keys on its own.
struct JoinedKeys {
  /// Of the track that holds all.
  let extradata: [UInt8]
  /// Numbers in it by those in a file, by the file's table.
  private var numbers: [[UInt8]: [UInt32: UInt32]] = [:]

  /// As many as are read.
  private static let most = MetadataKeyTable.mostKeys

  /// Throws `malformed` where a table is damaged, `limitExceeded` where all have too many keys together.
  init(_ pieces: [TrackPiece]) throws(MediaError) {
    var keys: [MetadataKeyTable.Key] = []
    var known: [MetadataKeyTable.Key: UInt32] = [:]
    for piece in pieces {
      let table = piece.track.description.extradata
      guard numbers[table] == nil else { continue }
      var renamed: [UInt32: UInt32] = [:]
      for key in try MetadataKeyTable(extradata: table).keys {
        var nameless = key
        nameless.localID = 0
        if known[nameless] == nil {
          known[nameless] = UInt32(keys.count + 1)
          nameless.localID = UInt32(keys.count + 1)
          keys.append(nameless)
          nameless.localID = 0
        }
        renamed[key.localID] = known[nameless]
      }
      numbers[table] = renamed
    }
    guard keys.count <= Self.most else {
      throw MediaError(
        .limitExceeded,
        "its pieces have \(keys.count) keys together; \(Self.most) are the most of a track")
    }
    extradata = MetadataKeyTable(keys: keys).extradata
  }

  /// Nil for a track of other media, and one that cannot be joined.
  init?(of track: CompositionTrack, in range: TimeRange) {
    let pieces = track.pieces(in: range)
    guard pieces.first?.track.description.isTimedMetadata == true else { return nil }
    try? self.init(pieces)
  }

  /// Names the values of a piece's packet, which has its bytes, by the numbers of all; those of which the
  /// piece does not declare the key are left out.
  func rename(_ packet: inout Packet, of format: FormatDescription) {
    guard let numbers = numbers[format.track.extradata], case .bytes(let buffer) = packet.payload
    else { return }
    var sample = MetadataSample(Array(buffer.readOnly))
    sample.values = sample.values.compactMap { value in
      numbers[value.localID].map { .init(localID: $0, bytes: value.bytes) }
    }
    packet.payload = .bytes(MediaBuffer(sample.bytes))
  }
}
