import RespoolPlugin

/// The attributes in a header of ASF, of which FFmpeg keeps one value to a name and no language.
///
/// They are in the Extended Content Description (3.11), Metadata (4.7) and Metadata Library (4.8) objects of the
/// Advanced Systems Format Specification 01.20.03.
struct ASFAttributes {
  /// An attribute with a value that can be written as text.
  private struct Attribute {
    var key: String
    var value: String
    /// Index into the Language List object.
    ///
    /// `nil` in objects without languages.
    var language: Int?
    /// `nil` for the whole file.
    var stream: Int?
  }

  /// Object with attributes, which determines their fields.
  enum Object {
    case extendedContentDescription, metadata, metadataLibrary
  }

  private var attributes: [Attribute] = []
  /// Names of attributes that no muxer writes.
  private(set) var parts: [String] = []

  /// Maximum number of attributes: a file has a few dozen.
  private static let most = 4096

  /// Reads the complete attributes of an object.
  mutating func read(_ body: ByteReader, _ object: Object) {
    var body = body
    guard let count = try? body.little(UInt16.self) else { return }
    for _ in 0..<count where attributes.count < Self.most {
      guard (try? readAttribute(&body, object)) != nil else { return }
    }
  }

  private mutating func readAttribute(_ body: inout ByteReader, _ object: Object)
    throws(MediaError)
  {
    var (language, stream): (Int?, Int?) = (nil, nil)
    if object != .extendedContentDescription {
      let index = Int(try body.little(UInt16.self))
      if object == .metadataLibrary { language = index }
      let number = Int(try body.little(UInt16.self))
      if number != 0 { stream = number }
    }
    let nameSize = Int(try body.little(UInt16.self))
    var name: [UInt8] = []
    if object == .extendedContentDescription { name = Array(try body.take(nameSize)) }
    let type = try body.little(UInt16.self)
    let size =
      object == .extendedContentDescription
      ? Int(try body.little(UInt16.self)) : Int(try body.little(UInt32.self))
    if object != .extendedContentDescription { name = Array(try body.take(nameSize)) }
    let value = Array(try body.take(size))
    let key = Self.text(name)
    guard !key.isEmpty else { return }
    switch type {
    case 0:
      let text = Self.text(value)
      if !text.isEmpty {
        attributes.append(Attribute(key: key, value: text, language: language, stream: stream))
      }
    // Flags and numbers of 16 to 64 bits.
    case 2...5:
      let number = value.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      attributes.append(
        Attribute(key: key, value: "\(number)", language: language, stream: stream))
    case 6 where value.count == 16:
      attributes.append(
        Attribute(key: key, value: Self.identifier(value), language: language, stream: stream))
    default:
      // FFmpeg reads pictures and ID3 tags.
      let name = "attribute '\(key)' of ASF"
      if key != "WM/Picture", key != "ID3", !parts.contains(name) { parts.append(name) }
    }
  }

  /// Returns UTF-16 text up to its end or a 0.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var reader = ByteReader(Array(bytes))
    var units: [UInt16] = []
    while let unit = try? reader.little(UInt16.self), unit != 0 { units.append(unit) }
    return String(decoding: units, as: UTF16.self)
  }

  /// Returns a GUID in its usual form, whose first three numbers are little-endian.
  private static func identifier(_ bytes: [UInt8]) -> String {
    let groups = [[3, 2, 1, 0], [5, 4], [7, 6], [8, 9], [10, 11, 12, 13, 14, 15]]
    let digits = Array("0123456789ABCDEF")
    return groups.map { group in
      String(group.flatMap { [digits[Int(bytes[$0] >> 4)], digits[Int(bytes[$0] & 15)]] })
    }.joined(separator: "-")
  }

  /// Attributes about the coding of the file's streams, which FFmpeg uses or which are wrong in other files.
  private static let namesAboutStreams: Set<String> = [
    "isvbr", "deviceconformancetemplate", "aspectratiox", "aspectratioy", "wmfsdkversion",
    "wmfsdkneeded", "wm/wmadrcpeakreference", "wm/wmadrcpeaktarget",
    "wm/wmadrcaveragereference", "wm/wmadrcaveragetarget",
  ]

  /// FFmpeg's names for keys that it spells differently.
  private static let names = [
    "wm/albumartist": "album_artist", "wm/albumtitle": "album", "author": "artist",
    "description": "comment", "wm/composer": "composer", "wm/encodedby": "encoded_by",
    "wm/encodingsettings": "encoder", "wm/genre": "genre", "wm/language": "language",
    "wm/originalfilename": "filename", "wm/partofset": "disc", "wm/publisher": "publisher",
    "wm/tool": "encoder", "wm/tracknumber": "track",
    "wm/mediastationcallsign": "service_provider", "wm/mediastationname": "service_name",
    "title": "title", "copyright": "copyright",
  ]

  /// Returns the tags of the file, and those of its streams by stream number.
  ///
  /// `list` has the languages of the file.
  private func tags(languages list: [String]) -> [(stream: Int?, tag: NativeTag)] {
    attributes.compactMap { attribute in
      guard !Self.namesAboutStreams.contains(attribute.key.lowercased()) else { return nil }
      var language: String?
      if let index = attribute.language, list.indices.contains(index), !list[index].isEmpty {
        language = LanguageCode.tag(list[index])
      }
      return (
        attribute.stream,
        NativeTag(
          keySpace: "com.microsoft.asf", key: attribute.key,
          name: Self.names[attribute.key.lowercased()] ?? attribute.key, value: attribute.value,
          language: language)
      )
    }
  }

  /// Replaces tags of FFmpeg's description for which the file has several values, languages or streams.
  func add(to media: inout MediaDescription, languages: [String]) {
    if !parts.isEmpty { media.sideData.append(SideData(unwrittenElements: parts)) }
    let tags = tags(languages: languages)
    addStreamTags(tags, to: &media)
    let own = tags.filter { $0.stream == nil }.map(\.tag)
    // Content descriptions come first in FFmpeg's order, and have no language.
    var all: [NativeTag] = []
    for entry in media.metadata {
      let values = own.filter { $0.name.lowercased() == entry.name.lowercased() }
      if values.isEmpty || !values.contains(where: { $0.value == entry.value }) {
        all.append(
          NativeTag(
            keySpace: "com.microsoft.asf", key: entry.name, name: entry.name, value: entry.value))
      }
    }
    for tag in own where !all.contains(tag) { all.append(tag) }
    guard all.count != media.metadata.count || all.contains(where: { $0.language != nil }) else {
      return
    }
    media.metadata = NativeTag.entries(all)
    media.nativeTags = all.filter { !MetadataEntry($0.name, "").describesSourceFile }
  }

  /// Moves tags of streams, which FFmpeg returns as those of the file, to their tracks.
  private func addStreamTags(
    _ tags: [(stream: Int?, tag: NativeTag)], to media: inout MediaDescription
  ) {
    let ofFile = Set(tags.filter { $0.stream == nil }.map { $0.tag.name.lowercased() })
    for (stream, tag) in tags {
      guard let stream, let index = media.tracks.firstIndex(where: { $0.id == Int64(stream) })
      else { continue }
      if !ofFile.contains(tag.name.lowercased()) {
        media.metadata.removeAll { $0 == MetadataEntry(tag.name, tag.value) }
      }
      media.tracks[index].metadata.append(MetadataEntry(tag.name, tag.value))
    }
  }
}
