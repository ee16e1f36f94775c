import RespoolMedia

/// What is written of a file besides its tracks: tags as muxers take them, covers, and what finds no place.
struct FileTags: Sendable {
  /// A picture's file, as a track of one packet.
  struct Cover: Sendable {
    let track: TrackDescription
    let packet: Packet

    /// Nil for bytes that are none of the kinds of picture that covers have.
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
  /// Records of the source that go where its tags go.
  private(set) var records: [SideData] = []
  /// Items that cannot be written, a sentence each.
  private(set) var losses: [String] = []

  /// Nothing.
  init() {}

  /// Takes all tags of a file but the name of the program that wrote it; its covers are tracks.
  init(of source: MediaDescription) {
    records = source.sideData.filter(\.isCarriedWithTags)
    native = MetadataItem.items(of: source).compactMap { NativeTag($0) }
      .filter { !MetadataEntry($0.name, "").isOfWriter }
    entries = source.metadata.filter { !$0.isOfWriter }.compactMap { entry in
      let name = MetadataNames.plain(entry.name)
      // What is told by a plain name as well is told by that.
      let plain = name == entry.name ? nil : source.metadata.first { $0.name == name }
      guard let plain else { return MetadataEntry(name, entry.value) }
      let isSame = MediaFact.Property.tag(name).isKept(entry.value, in: [plain.value])
      return isSame ? nil : entry
    }
  }

  /// `refusal` says why the muxer does not carry a cover; nil: it does.
  init(
    _ items: [MetadataItem], for muxer: FactoryDescription,
    refusal: (TrackDescription) -> String?
  ) {
    entries = MetadataItem.entries(items)
    native = items.compactMap { NativeTag($0) }
    for item in items {
      let words = item.identifier?.rawValue ?? "an item without an identifier"
      if item.commonKey == .commonKeyArtwork, let file = item.dataValue {
        guard let cover = Cover(file) else {
          losses.append("\(words) is left out: its data is no picture's file that is known")
          continue
        }
        if let reason = refusal(cover.track) {
          losses.append("\(words) is left out: \(reason)")
        } else {
          covers.append(cover)
        }
      } else if item.stringValue == nil {
        let isKept =
          item.keySpace == .quickTimeMetadata && muxer.flags.contains(.keepsTypedTags)
          && NativeTag(item) != nil
        if !isKept {
          losses.append("\(words) is left out: \(muxer.name) has no place for its value")
        }
      } else if item.tagName == nil, item.keySpace != .quickTimeMetadata {
        losses.append("\(words) is left out: nothing is known to be called that")
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

  /// Makes the time reference of Broadcast Wave, in samples since midnight (EBU Tech 3285 2.3), that of an output.
  ///
  /// The output begins `start` behind the start of the source; the rates are of its sound and of the source's.
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

  /// The tracks of covers come behind `first` others.
  func write(to interleaver: Interleaver, behind first: Int) throws(MediaError) {
    for (place, cover) in covers.enumerated() {
      let port = MuxPort(interleaver, index: first + place)
      try port.begin(cover.track)
      try port.consume(cover.packet)
      try port.finish()
    }
  }
}

extension NativeTag {
  /// As muxers take the items of a track.
  static func tags(_ items: [MetadataItem], track: Int) -> [NativeTag] {
    items.compactMap { item in
      var tag = NativeTag(item)
      tag?.track = track
      return tag
    }
  }

  /// Nil where there is no key, for covers, and for a value that has no data type and needs one.
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
    self.init(
      keySpace: keySpace.rawValue, key: key, name: name, value: item.stringValue ?? "", kind: kind,
      language: language)
  }
}
