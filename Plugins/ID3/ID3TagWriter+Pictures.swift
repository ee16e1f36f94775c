package import RespoolMedia

extension ID3TagWriter {
  /// Returns the media type of pictures of a track; `nil` if the track has no picture that a tag can store.
  package static func mimeType(ofPicture track: TrackDescription) -> String? {
    if track.disposition.contains(.attachedPicture) {
      return FLACPicture.mimeType(ofCodec: track.codec)
    }
    guard track.kind == .attachment, !track.extradata.isEmpty else { return nil }
    let type = track.metadata.first { $0.name.lowercased() == "mimetype" }?.value.lowercased()
    return type?.hasPrefix("image/") == true ? type : nil
  }

  /// Adds the picture of a track (ID3 2.4.0 section 4.14); does nothing if the track has none.
  package mutating func add(picture: some Sequence<UInt8>, of track: TrackDescription) {
    guard let type = Self.mimeType(ofPicture: track) else { return }
    let kind = PictureKind.number(in: track.metadata) ?? PictureKind.frontCover
    let title = track.metadata.first { $0.name.lowercased() == "title" }?.value ?? ""
    let prefix = Array(type.utf8) + [0, UInt8(clamping: kind)]
    add("APIC", version.body(title, prefix: prefix, rest: picture))
  }
}
