import RespoolPlugin

/// The APEv2 tag at the end of MP3 and other raw streams, where FFmpeg does not read it.
///
/// Many programs store the loudness of MP3 files in one
/// (https://wiki.hydrogenaud.io/index.php?title=APEv2_specification).
enum APETag {
  private static let mark = Array("APETAGEX".utf8)
  private static let footSize = 32
  /// Maximum size in bytes: a tag with a cover has a few MiB.
  private static let largest: Int64 = 32 << 20
  private static let mostItems = 1024

  /// Returns the texts of the tag, and descriptions of items that are data or links.
  ///
  /// Empty if there is no tag.
  ///
  /// Throws `io` and `cancelled`.
  static func items(in source: ByteSource) throws(MediaError) -> (
    tags: [NativeTag], others: [String]
  ) {
    guard source.isSeekable, let size = source.size else { return ([], []) }
    // An ID3v1 tag may follow it.
    for end in [size, size - 128] where end >= Int64(footSize) {
      var foot = ByteReader(try source.read(at: end - Int64(footSize), count: footSize))
      guard (try? foot.take(8))?.elementsEqual(mark) == true, (try? foot.skip(4)) != nil,
        let length = try? foot.little(UInt32.self), let count = try? foot.little(UInt32.self)
      else { continue }
      let body = Int64(length) - Int64(footSize)
      guard body > 0, body <= min(largest, end - Int64(footSize)) else { return ([], []) }
      let bytes = try source.read(at: end - Int64(footSize) - body, count: Int(body))
      return items(bytes, atMost: min(Int(count), mostItems))
    }
    return ([], [])
  }

  /// Parses complete items: size, flags, a name that ends with 0, and the value.
  private static func items(_ bytes: [UInt8], atMost count: Int) -> (
    tags: [NativeTag], others: [String]
  ) {
    var reader = ByteReader(bytes)
    var tags: [NativeTag] = []
    var others: [String] = []
    for _ in 0..<count {
      guard let size = try? reader.little(UInt32.self), let flags = try? reader.little(UInt32.self)
      else { break }
      var name: [UInt8] = []
      while let byte = try? reader.u8(), byte != 0 { name.append(byte) }
      guard let value = try? reader.take(Int(size)) else { break }
      // Bits 1 and 2: 0 means UTF-8 text with values separated by 0.
      let key = String(decoding: name, as: UTF8.self)
      guard flags & 6 == 0, let text = String(validating: value, as: UTF8.self) else {
        others.append("item \(key) of the APEv2 tag")
        continue
      }
      if key.isEmpty { continue }
      for part in text.split(separator: "\0", maxSplits: mostItems) where tags.count < mostItems {
        tags.append(
          NativeTag(
            keySpace: "org.ape", key: key, name: names[key.lowercased()] ?? key,
            value: String(part)))
      }
    }
    return (tags, others)
  }

  /// Kinds of covers by the names of their items, as ID3 numbers them.
  fileprivate static let coverKinds = [
    "icon": 1, "other icon": 2, "front": 3, "back": 4, "leaflet": 5, "media": 6, "lead artist": 7,
    "lead": 7, "artist": 8,
  ]

  /// FFmpeg's names for keys that it spells differently.
  private static let names = [
    "title": "title", "artist": "artist", "album": "album", "album artist": "album_artist",
    "year": "date", "track": "track", "disc": "disc", "genre": "genre", "comment": "comment",
    "composer": "composer", "copyright": "copyright", "publisher": "publisher", "isrc": "isrc",
  ]
}

extension TrackDescription {
  /// Stores the kind and the file name of a cover, which FFmpeg reads as a tag such as `Cover Art (Back)=back.jpg`.
  mutating func takeCoverItem() {
    guard disposition.contains(.attachedPicture),
      let entry = metadata.firstIndex(where: { $0.name.lowercased().hasPrefix("cover art (") })
    else { return }
    let item = metadata.remove(at: entry)
    let kind = item.name.dropFirst(11).prefix { $0 != ")" }.lowercased()
    metadata += PictureKind.metadata(APETag.coverKinds[kind] ?? 0, title: "")
    // Some programs store the name of the item as the name of the file.
    if !item.value.isEmpty, !item.value.hasPrefix(item.name) {
      metadata.append(MetadataEntry("filename", item.value))
    }
  }
}
