package import RespoolMedia

extension VorbisComments {
  /// Creates the comments of a file with one audio track: tags of both, then chapters.
  package init(file media: MediaDescription, audio: TrackDescription) {
    let ofTrack = audio.metadata.filter { !media.metadata.contains($0) }
    self.init(
      vendor: "respool",
      fields: Self.fields(of: media, and: ofTrack) + Self.fields(media.chapters))
  }
}
