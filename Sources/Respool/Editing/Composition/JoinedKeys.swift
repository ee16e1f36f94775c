import RespoolMedia

/// The keys of timed metadata from several files, each of which numbers its keys on its own.
struct JoinedKeys {
  /// The key table of the joined track.
  let extradata: [UInt8]
  /// For each file's key table, the joined track's key numbers by the file's.
  private var numbers: [[UInt8]: [UInt32: UInt32]] = [:]

  /// The greatest number of keys, which is also the limit for reading.
  private static let most = MetadataKeyTable.mostKeys

  /// Joins the key tables of segments.
  ///
  /// Throws `malformed` if a table is damaged and `limitExceeded` if all have too many keys together.
  init(_ clips: [TrackRange]) throws(MediaError) {
    var keys: [MetadataKeyTable.Key] = []
    var known: [MetadataKeyTable.Key: UInt32] = [:]
    for clip in clips {
      let table = clip.track.description.extradata
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
        "the clips have \(keys.count) metadata keys together; a track has at most \(Self.most)")
    }
    extradata = MetadataKeyTable(keys: keys).extradata
  }

  /// Joins the key tables of a track's segments within a range.
  ///
  /// `nil` for a track of another media type, and for one that cannot be joined.
  init?(of track: AssetTrack, in range: TimeRange) {
    let clips = track.clips(in: range)
    guard clips.first?.track.description.isTimedMetadata == true else { return nil }
    try? self.init(clips)
  }

  /// Renumbers the values of a segment's packet with the keys of the joined track.
  ///
  /// The packet must contain its bytes. Removes values whose key the segment does not declare.
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
