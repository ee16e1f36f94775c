import RespoolPlugin

/// A writer of the Attachments element (RFC 9559 5.1.6).
struct AttachmentWriter {
  /// FFmpeg's codec names of files that are not covers.
  static let codecs = ["ttf", "otf", "bin_data"]

  private var files = EBMLWriter()
  private var count = 0
  private var coverCount = 0

  /// The bytes of the element.
  ///
  /// Empty if there are no files.
  var bytes: [UInt8] {
    guard count > 0 else { return [] }
    var writer = EBMLWriter()
    writer.binary(.attachments, files.bytes)
    return writer.bytes
  }

  /// Adds a cover.
  ///
  /// Without a name of its own, it gets the name that players look for.
  mutating func add(cover track: TrackDescription, _ data: [UInt8]) {
    let mediaType = CodecMapping.coverTypes[track.codec] ?? "image/jpeg"
    coverCount += 1
    let name = "cover" + (coverCount > 1 ? "\(coverCount)" : "")
    let suffix = mediaType == "image/jpeg" ? "jpg" : mediaType.dropFirst("image/".count)
    add(
      data, name: Self.tag("filename", of: track) ?? "\(name).\(suffix)",
      mediaType: mediaType, description: Self.tag("title", of: track))
  }

  /// Adds an attached file.
  ///
  /// Its bytes are the track's extradata.
  mutating func add(_ track: TrackDescription) {
    let types = ["ttf": "font/ttf", "otf": "font/otf"]
    add(
      track.extradata, name: Self.tag("filename", of: track) ?? "attachment\(count + 1)",
      mediaType: Self.tag("mimetype", of: track) ?? types[track.codec]
        ?? "application/octet-stream",
      description: Self.tag("title", of: track))
  }

  private static func tag(_ name: String, of track: TrackDescription) -> String? {
    track.metadata.first { $0.name.lowercased() == name && !$0.value.isEmpty }?.value
  }

  private mutating func add(
    _ data: [UInt8], name: String, mediaType: String, description: String?
  ) {
    count += 1
    files.master(.attachedFile) { file in
      if let description { file.text(.fileDescription, description) }
      file.text(.fileName, name)
      file.text(.fileMediaType, mediaType)
      file.binary(.fileData, data)
      file.unsigned(.fileUID, count)
    }
  }
}
