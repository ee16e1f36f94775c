extension MediaDescription {
  /// The format of a composition, which is no file.
  package static let editedFormat = "composition"
}

extension TrackDescription {
  /// The codec of tracks that are only there decoded: mixes and composed pictures.
  package static let editedCodec = "edited"
}
