extension TrackDescription {
  /// Describes a picture in a format without a decoder, such as AVIF, as an attached file.
  ///
  /// `nil` if it is empty or its media type is not that of an image. `number` is that in the name of the file.
  package init?(
    attachedPicture bytes: some Sequence<UInt8>, type: String, about: String, number: Int
  ) {
    let prefix = "image/"
    let name = type.lowercased()
    let file = Array(bytes)
    guard name.hasPrefix(prefix), !file.isEmpty else { return nil }
    self.init(kind: .attachment, codec: "bin_data", timeBase: Rational(1, 90_000))
    extradata = file
    metadata = [
      MetadataEntry("filename", "cover\(number).\(name.dropFirst(prefix.count))"),
      MetadataEntry("mimetype", type), MetadataEntry("title", about),
    ].filter { !$0.value.isEmpty }
  }
}

extension FLACPicture {
  /// Returns the cover in an attached file, such as AVIF; `nil` for other files.
  package init?(attached track: TrackDescription) {
    func value(_ name: String) -> String? {
      track.metadata.first { $0.name.lowercased() == name }?.value
    }
    guard track.kind == .attachment, !track.extradata.isEmpty, let type = value("mimetype"),
      type.hasPrefix("image/")
    else { return nil }
    self.init(mimeType: type, data: track.extradata)
    description = value("title") ?? ""
  }
}
