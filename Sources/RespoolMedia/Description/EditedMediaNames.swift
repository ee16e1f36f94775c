extension MediaDescription {
  /// The format name of a composition, which is not a file.
  package static let editedFormat = "composition"
}

extension TrackDescription {
  /// The codec name of tracks that exist only decoded: audio mixes and composed frames.
  package static let editedCodec = "edited"
}
