import RespoolMedia

extension MediaDescription {
  /// Moves the chapters as an export by `settings` moves the tracks: the first of those that are kept starts at 0.
  mutating func moveChapters(with settings: ResolvedSettings) {
    let kept = Set(settings.outputTracks.map(\.source))
    let offset = DemuxLoop.startOffset(tracks, wanted: tracks.indices.map { kept.contains($0) })
    guard offset > 0, !chapters.isEmpty else { return }
    for index in chapters.indices {
      chapters[index].start = max(0, chapters[index].start - offset)
      chapters[index].end = max(chapters[index].start, chapters[index].end - offset)
    }
    // They state the times as they were. Those of tags are not exact to the delay of an encoder.
    sideData.removeAll { $0.isAboutChapters && $0.type != .id3Places }
  }
}
