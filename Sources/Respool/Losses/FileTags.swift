import RespoolMedia

/// Contents of an output besides its tracks: tags in the form that muxers take, covers, and losses.
struct FileTags: Sendable {
  /// An image file, as a track of one packet.
  struct Cover: Sendable {
    let track: TrackDescription
    let packet: Packet

    /// Creates a cover of an image file; `nil` if its format is not one that covers have.
    init?(_ file: [UInt8]) {
      guard let codec = PictureFile.codec(of: file[...]) else { return nil }
      var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90_000))
      track.disposition = .attachedPicture
      self.track = track
      let bytes = codec == "mjpeg" ? PictureFile.withFindableEnd(file) : file
      packet = Packet(track: 0, pts: 0, dts: 0, flags: .key, payload: .bytes(MediaBuffer(bytes)))
    }
  }

  private(set) var entries: [MetadataEntry] = []
  private(set) var native: [NativeTag] = []
  private(set) var covers: [Cover] = []
  /// Records of the source that are written with its tags.
  private(set) var records: [SideData] = []
  /// Items that cannot be written; one sentence each.
  private(set) var losses: [String] = []

  /// Creates an empty set.
  init() {}

  /// Creates the contents from all tags of a file except the name of the program that wrote it.
  ///
  /// Covers are left out because they are tracks of the file.
  init(of source: MediaDescription) {
    records = source.sideData.filter(\.isCarriedWithTags)
    native = MetadataItem.items(of: source).compactMap { NativeTag($0) }
      .filter { !MetadataEntry($0.name, "").namesEncoder }
    entries = source.metadata.filter { !$0.namesEncoder }.compactMap { entry in
      let name = MetadataNames.plain(entry.name)
      // A tag with QuickTime's domain is left out if a tag with the plain name has the same value.
      let plain = name == entry.name ? [] : source.metadata.filter { $0.name == name }.map(\.value)
      if plain.isEmpty { return MetadataEntry(name, entry.value) }
      return MediaFact.Property.tag(name).isKept(entry.value, in: plain) ? nil : entry
    }
    entries = EntryLanguages(native.filter { $0.track == nil }).defaultFirst(entries)
  }

  /// Creates the contents from items.
  ///
  /// `refusal` returns the reason why the muxer cannot write a cover, or `nil` if it can.
  init(
    _ items: [MetadataItem], for muxer: FactoryDescription,
    refusal: (TrackDescription) -> String?
  ) {
    native = items.compactMap { NativeTag($0) }
    entries = EntryLanguages(native).defaultFirst(MetadataItem.entries(items))
    for item in items {
      let words = item.identifier?.rawValue ?? "an item without an identifier"
      if item.commonKey == .commonKeyArtwork, let file = item.dataValue {
        guard let cover = Cover(file) else {
          losses.append("\(words) is left out: its data is not a known image file")
          continue
        }
        if let reason = refusal(cover.track) {
          losses.append("\(words) is left out: \(reason)")
        } else {
          covers.append(cover)
        }
      } else if item.stringValue == nil {
        let isKept =
          [.quickTimeMetadata, .iTunes, .iTunesLongForm].contains(item.keySpace)
          && muxer.flags.contains(.keepsTypedTags) && NativeTag(item) != nil
        if !isKept {
          losses.append("\(words) is left out: \(muxer.name) cannot store its value")
        }
      } else if item.tagName == nil, item.keySpace != .quickTimeMetadata,
        item.keySpace != .iTunes || !muxer.flags.contains(.keepsTypedTags)
      {
        losses.append("\(words) is left out: no tag with that name is known")
      }
    }
  }

  /// Adds the date that the source's header stores, if the filter keeps it.
  mutating func keepDate(of source: MediaDescription, _ filter: MetadataItemFilter) {
    for entry in source.metadata
    where entry.name.lowercased() == MetadataDate.creationTime
      && filter.includes(MetadataItem(name: entry.name, entry.value))
    {
      entries.append(entry)
    }
  }

  /// Removes times of the source's timeline, which an edit changes.
  mutating func removeDisplayTimes() {
    guard records.contains(where: { $0.type == .displayTimes }) else { return }
    records.removeAll { $0.type == .displayTimes }
    losses.append("lost: the \(MediaFact.Property.sideData(.displayTimes))")
  }

  /// Converts the time reference of Broadcast Wave, in samples since midnight (EBU Tech 3285 2.3), to that of an
  /// output.
  ///
  /// The output begins `start` after the start of the source. `rate` and `newRate` are the sample rates of the
  /// source's audio and the output's.
  mutating func moveTimeReference(by start: MediaTime, from rate: Int, to newRate: Int) {
    let start = start.isNumeric ? start.seconds : 0
    guard rate > 0, newRate > 0, start > 0 || rate != newRate else { return }
    let name = "time_reference"
    func moved(_ value: String) -> String {
      guard let samples = UInt64(value) else { return value }
      let seconds = Double(samples) / Double(rate) + start
      return "\(UInt64(min(max(0, seconds * Double(newRate)).rounded(), 1e15)))"
    }
    for index in entries.indices where entries[index].name == name {
      entries[index].value = moved(entries[index].value)
    }
    for index in native.indices where native[index].name == name {
      native[index].value = moved(native[index].value)
    }
  }

  /// `true` if a tag states the loudness of the audio, or a gain that follows from it.
  var statesLoudness: Bool {
    entries.contains { Self.isAboutLoudness($0.name) }
      || native.contains { Self.isAboutLoudness($0.name) }
  }

  /// Removes the tags that state the loudness of the audio.
  mutating func removeLoudness() {
    entries.removeAll { Self.isAboutLoudness($0.name) }
    native.removeAll { Self.isAboutLoudness($0.name) }
  }

  /// Adds tags to those of the file.
  mutating func add(_ tags: [MetadataEntry]) { entries += tags }

  private static func isAboutLoudness(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("replaygain_") || name.hasPrefix("r128_") || name == "itunnorm"
  }

  /// Writes the covers as tracks after the `first` other tracks.
  func write(to interleaver: Interleaver, after first: Int) throws(MediaError) {
    for (place, cover) in covers.enumerated() {
      let port = TrackOutput(interleaver, index: first + place)
      try port.begin(cover.track)
      try port.consume(cover.packet)
      try port.finish()
    }
  }
}

extension NativeTag {
  /// Returns the items of a track in the form that muxers take.
  static func tags(_ items: [MetadataItem], track: Int) -> [NativeTag] {
    items.compactMap { item in
      var tag = NativeTag(item)
      tag?.track = track
      return tag
    }
  }

  /// `nil` if there is no key, for covers, and for a value that needs a data type and has none.
  fileprivate init?(_ item: MetadataItem) {
    guard let key = item.key, let keySpace = item.keySpace, let value = item.value,
      item.commonKey != .commonKeyArtwork || item.dataValue == nil
    else { return nil }
    let (name, language) = (item.tagName ?? "", item.extendedLanguageTag)
    if case .wellKnown(let code)? = item.dataType?.stored, let bytes = value.bytes(code: code) {
      self.init(
        keySpace: keySpace.rawValue, key: key, name: name, bytes: bytes, dataType: code,
        language: language)
      return
    }
    let kind: Kind
    switch value {
    case .string: kind = .text
    case .integer: kind = .integer
    case .real: kind = .real
    case .data(let bytes):
      self.init(
        keySpace: keySpace.rawValue, key: key, name: name, bytes: bytes, dataType: nil,
        language: language)
      return
    case .numbers: return nil
    }
    // Type 0 is reserved; some items have text of that type.
    let dataType: UInt32? = item.dataType?.stored == .wellKnown(0) && kind == .text ? 0 : nil
    self.init(
      keySpace: keySpace.rawValue, key: key, name: name, value: item.stringValue ?? "", kind: kind,
      dataType: dataType, language: language)
  }
}
