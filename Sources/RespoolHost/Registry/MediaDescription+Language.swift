import RespoolMedia

extension MediaDescription {
  /// Gives the only audio track the language that the file's tags state.
  ///
  /// Formats with a single track have no other place for it: Vorbis comments, `TLAN` of ID3, `ILNG` of
  /// RIFF.
  mutating func takeLanguageOfTags() {
    let timed = tracks.indices.filter {
      tracks[$0].kind != .attachment && !tracks[$0].disposition.contains(.attachedPicture)
    }
    guard timed.count == 1, let index = timed.first, tracks[index].kind == .audio,
      (tracks[index].language ?? "und") == "und",
      let entry = metadata.first(where: { $0.name.lowercased() == "language" }),
      LanguageCode(entry.value.prefix { $0 != "-" }) != nil
    else { return }
    tracks[index].language = LanguageCode.tag(entry.value)
  }
}
