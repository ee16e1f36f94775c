public import RespoolMedia

extension FactoryDescription {
  /// Returns the probe score of a file: 75 if one of the magics matches, 25 if only the extension does, else 0.
  public func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    if magics.contains(where: { $0.matches(bytes) }) { return 75 }
    guard let dot = name.lastIndex(of: ".") else { return 0 }
    return extensions.contains(name[name.index(after: dot)...].lowercased()) ? 25 : 0
  }
}

extension FactoryDescription.Magic {
  /// Returns `true` if `start`, the first bytes of a file, has these bytes at their offset.
  public func matches(_ start: UnsafeRawBufferPointer) -> Bool {
    guard offset >= 0, !bytes.isEmpty, bytes.count <= start.count,
      offset <= start.count - bytes.count
    else { return false }
    return bytes.indices.allSatisfy { index in
      let bits = mask.map { index < $0.count ? $0[index] : 0xFF } ?? 0xFF
      return (start[offset + index] ^ bytes[index]) & bits == 0
    }
  }
}

extension Demuxer {
  public static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    description.score(bytes, name: name)
  }

  public init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    try self.init(
      source: source, options: settings.options.map { MetadataEntry($0.name, $0.value) })
  }

  public init(source: ByteSource, options: [MetadataEntry]) throws(MediaError) {
    throw MediaError(
      .internal, "\(Self.description.name) does not implement init(source:settings:)")
  }

  /// Does nothing: packets of unselected tracks are dropped before they reach the host.
  public func select(_ isSelected: [Bool]) throws(MediaError) {}

  public func seek(track: Int, to time: Int64) throws(MediaError) {
    throw MediaError(.unsupported, "\(Self.description.name) cannot seek", track: track)
  }
}

extension Decoder {
  public static func supports(_ track: TrackDescription) -> Bool {
    description.codecs.contains(track.codec)
  }
}

extension Muxer {
  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    try self.init(
      media: media, sink: sink, options: settings.options.map { MetadataEntry($0.name, $0.value) })
  }

  public init(media: MediaDescription, sink: ByteSink, options: [MetadataEntry]) throws(MediaError)
  {
    throw MediaError(
      .internal, "\(Self.description.name) does not implement init(media:sink:settings:)")
  }

  public static func check(_ track: TrackDescription) throws(MediaError) {
    guard description.codecs.contains(track.codec) else {
      throw MediaError(
        .unsupported,
        "\(description.name) does not carry \(track.codec); it carries "
          + description.codecs.joined(separator: ", "))
    }
  }
}

extension Encoder {
  public static func check(_ settings: EncoderSettings) throws(MediaError) {
    _ = try Self(settings: settings)
  }

  public static func memory(for settings: EncoderSettings) -> Int64? { nil }
}
