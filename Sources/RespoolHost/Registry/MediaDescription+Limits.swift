import RespoolMedia

extension MediaDescription {
  /// Maximum number of tags of the file, of tags of each track, and of chapters.
  ///
  /// Comparing tags takes the square of their number. Real files have a few hundred.
  static let mostTags = 4096

  /// Removes tags and chapters beyond the limit, with a warning.
  mutating func limitTags() {
    let most = Self.mostTags
    var counts: [String] = []
    func limit<Element>(_ list: inout [Element], _ name: String) {
      guard list.count > most else { return }
      counts.append("\(list.count) \(name)")
      list.removeLast(list.count - most)
    }
    limit(&metadata, "tags")
    limit(&nativeTags, "items")
    limit(&chapters, "chapters")
    for index in tracks.indices {
      limit(&tracks[index].metadata, "tags of \(TrackNumber(index: index))")
    }
    guard let first = counts.first else { return }
    warning = warning ?? "the file has \(first), of which \(most) are read"
  }
}
