public import RespoolMedia

extension Asset {
  /// Returns all metadata of the file in file order, followed by covers; empty for a composition.
  ///
  /// Blocks if the file has to be opened, and to read covers. Throws as `mediaDescription` does.
  public func metadata() throws(MediaError) -> [MetadataItem] {
    try MetadataItem.items(of: mediaDescription()) + artwork()
  }

  /// Returns the metadata that has a common key; all items if the file stores a value in several ways.
  ///
  /// Throws as `metadata` does.
  public func commonMetadata() throws(MediaError) -> [MetadataItem] {
    try metadata().filter { $0.commonKey != nil }
  }

  /// Returns the formats of the file's metadata, in file order.
  ///
  /// Throws as `metadata` does.
  public func availableMetadataFormats() throws(MediaError) -> [MetadataFormat] {
    MetadataFormat.formats(of: try metadata())
  }

  /// Returns the metadata of one format.
  ///
  /// Throws as `metadata` does.
  public func metadata(forFormat format: MetadataFormat) throws(MediaError) -> [MetadataItem] {
    try metadata().filter { $0.keySpace?.format == format }
  }

  /// Returns the creation date from a tag, else from the file header; `nil` if unknown.
  ///
  /// Throws as `metadata` does.
  public func creationDate() throws(MediaError) -> MetadataItem? {
    let media = try mediaDescription()
    let dated = MetadataItem.items(of: media).filter { $0.commonKey == .commonKeyCreationDate }
    if let item = dated.first(where: { $0.dateValue != nil }) { return item }
    guard let date = media.metadata.first(where: { $0.name == MetadataDate.creationTime })?.value
    else {
      return nil
    }
    return MetadataItem(.commonKeyCreationDate, date)
  }

  /// Returns the lyrics of a song from the first tag that has them; `nil` if no tag has.
  ///
  /// Throws as `mediaDescription` does.
  public func lyrics() throws(MediaError) -> String? {
    MetadataItem.items(of: try mediaDescription()).lazy
      .filter { $0.tagName?.lowercased() == "lyrics" }.compactMap(\.stringValue).first
  }

  /// Returns the tags of the file by FFmpeg's names, as plugins report them.
  ///
  /// Throws as `mediaDescription` does.
  public func tags() throws(MediaError) -> [MetadataEntry] { try mediaDescription().metadata }

  /// Returns the covers; the value of each item is the image file.
  private func artwork() throws(MediaError) -> [MetadataItem] {
    let media = try mediaDescription()
    let isCover = media.tracks.map { $0.disposition.contains(.attachedPicture) }
    guard isCover.contains(true), let path, let fileRegistry else { return [] }
    let source = try FileSource(path: path)
    let demuxer = try fileRegistry.openDemuxer(source)
    guard demuxer.media.tracks.count == isCover.count else { return [] }
    try demuxer.select(isCover)
    let (keySpace, key) = MetadataNames.artworkOrigin(format: media.format)
    var left = isCover.count { $0 }
    var items: [MetadataItem] = []
    while left > 0, let packet = try demuxer.read() {
      left -= 1
      guard case .bytes(let bytes) = try source.bytes(of: packet).payload else { continue }
      items.append(
        MetadataItem(
          keySpace: keySpace, key: key, value: .data(bytes.withBytes { Array($0) }), name: nil,
          language: nil))
    }
    return items
  }
}

extension AssetTrack {
  /// All metadata of the track, in file order.
  ///
  /// Empty for a composition track.
  public var metadata: [MetadataItem] {
    guard isSelfContained, let asset else { return [] }
    // A track exists only if its file could be opened.
    do throws(MediaError) {
      return MetadataItem.items(of: try asset.mediaDescription(), track: index)
    } catch { return [] }
  }

  /// The metadata that has a common key.
  public var commonMetadata: [MetadataItem] { metadata.filter { $0.commonKey != nil } }

  /// The formats of the track's metadata, in file order.
  public var availableMetadataFormats: [MetadataFormat] { MetadataFormat.formats(of: metadata) }

  /// Returns the metadata of one format.
  public func metadata(forFormat format: MetadataFormat) -> [MetadataItem] {
    metadata.filter { $0.keySpace?.format == format }
  }
}

extension MetadataFormat {
  static func formats(of items: [MetadataItem]) -> [MetadataFormat] {
    var formats: [MetadataFormat] = []
    for case let format? in items.map({ $0.keySpace?.format }) where !formats.contains(format) {
      formats.append(format)
    }
    return formats
  }
}

extension AsyncProperty where Root == Asset, Value == [MetadataItem] {
  public static var metadata: Self { Self { asset throws(MediaError) in try asset.metadata() } }
  public static var commonMetadata: Self {
    Self { asset throws(MediaError) in try asset.commonMetadata() }
  }
}

extension AsyncProperty where Root == Asset, Value == [MetadataFormat] {
  public static var availableMetadataFormats: Self {
    Self { asset throws(MediaError) in try asset.availableMetadataFormats() }
  }
}

extension AsyncProperty where Root == Asset, Value == MetadataItem? {
  public static var creationDate: Self {
    Self { asset throws(MediaError) in try asset.creationDate() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [MetadataItem] {
  public static var metadata: Self { Self { $0.metadata } }
  public static var commonMetadata: Self { Self { $0.commonMetadata } }
}

extension AsyncProperty where Root == AssetTrack, Value == [MetadataFormat] {
  public static var availableMetadataFormats: Self { Self { $0.availableMetadataFormats } }
}

extension Asset {
  /// Loads the metadata of one format without blocking a thread of the cooperative pool.
  public func loadMetadata(for format: MetadataFormat) async throws(MediaError) -> [MetadataItem] {
    try await AsyncProperty<Asset, [MetadataItem]> { asset throws(MediaError) in
      try asset.metadata(forFormat: format)
    }.load(from: self)
  }
}
